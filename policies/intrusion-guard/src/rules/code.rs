//! Calls by name in code of languages that most have in common.

use crate::kinds::has_any;

/// Calls that send data to another machine.
const SENDS: &[&str] = &[
    "requests.post(",
    "requests.put(",
    "requests.patch(",
    "httpx.post(",
    "httpx.put(",
    ".post(",
    "http.client",
    "sendall(",
    "sendto(",
    "smtplib",
    "ftplib",
    "paramiko",
    "aiohttp",
    "axios",
    "XMLHttpRequest",
    "http.request(",
    "https.request(",
    "net.connect",
    "net.Socket",
    "Net::HTTP",
    "HTTP::Tiny",
    "LWP::UserAgent",
    "fsockopen",
    "curl_exec",
    "IO::Socket",
    "TCPSocket",
    "put_object",
    "upload_file",
    "send_file",
    "sendmail(",
    ":send(",
    "using Sockets",
    "[socket ",
    "(\"http\").request(",
    "('http').request(",
    "(\"https\").request(",
    "('https').request(",
];

/// Calls that open a connection.
const CONNECTS: &[&str] = &[
    "socket.socket",
    "socket(",
    "create_connection",
    "fsockopen",
    "pfsockopen",
    "stream_socket_client",
    "socket_create",
    "IO::Socket",
    "use Socket",
    "TCPSocket",
    "TCPServer",
    "UDPSocket",
    "socket.tcp",
    "socket.connect",
    "net.Socket",
    "net.connect",
    "net.createConnection",
    "require(\"net\")",
    "require('net')",
    "node:net",
    "net.Dial",
    "net.Listen",
    "/inet/tcp/",
    "/inet/udp/",
    "TCPClient",
    "TcpClient",
    "UdpClient",
    "TCPListener",
    "TcpListener",
    "java.net.Socket",
    "ServerSocket",
    "ztcp",
    "Deno.connect",
    "[socket ",
    "gen_tcp",
    "TcpStream",
    "open_connection(",
    "paramiko",
];

/// Returns whether the code sends data.
pub(crate) fn sends(text: &str) -> bool {
    let opens = has_any(text, &["urlopen(", "urllib.request.Request(", "fetch("]);
    // The second argument of a request is its body.
    let posts = text.contains("urlopen(") && has_any(text, &[", open(", ",open("]);
    let asks = has_any(text, &["file_get_contents(\"http", "file_get_contents('http"])
        && text.matches("file_get_contents(").count() > 1;
    has_any(text, SENDS)
        || asks
        || posts
        || opens
            && has_any(text, &["data=", "body:", "body=", "method='POST'", "method=\"POST\"", "'POST'", "\"POST\""])
}

/// Returns whether the code opens a connection.
pub(crate) fn connects(text: &str) -> bool {
    has_any(text, CONNECTS)
}
