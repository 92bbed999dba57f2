//! Hosts that record or forward received data.

/// Hosts that record each request for the address's owner: a request alone reveals something.
const CATCHERS: &[&str] = &[
    "webhook.site",
    "requestbin.com",
    "requestbin.net",
    "pipedream.net",
    "requestcatcher.com",
    "beeceptor.com",
    "hookb.in",
    "hookbin.com",
    "postb.in",
    "putsreq.com",
    "ptsv2.com",
    "ptsv3.com",
    "typedwebhook.tools",
    "interact.sh",
    "interactsh.com",
    "oast.fun",
    "oast.live",
    "oast.me",
    "oast.online",
    "oast.pro",
    "oast.site",
    "burpcollaborator.net",
    "oastify.com",
    "dnslog.cn",
    "dnslog.link",
    "ceye.io",
    "canarytokens.com",
    "bxss.me",
    "xss.ht",
    "xsshunter.com",
    "rbnd.gl0.eu",
    "dnsbin.zhack.ca",
    "requestrepo.com",
    "webhook.cool",
    "httpdump.app",
    "mockbin.org",
    "smee.io",
    "svix.com",
    "tunnelmole.net",
    "insecure.ink",
    "eyes.sh",
    "d.zhack.ca",
];

/// Hosts that publish received data at a public address.
const DROPS: &[&str] = &[
    "transfer.sh",
    "0x0.st",
    "termbin.com",
    "ix.io",
    "sprunge.us",
    "paste.rs",
    "pastebin.com",
    "hastebin.com",
    "file.io",
    "bashupload.com",
    "gofile.io",
    "anonfiles.com",
    "catbox.moe",
    "temp.sh",
    "tmpfiles.org",
    "oshi.at",
    "clbin.com",
    "paste.ee",
    "dpaste.com",
    "dpaste.org",
    "paste.debian.net",
    "ghostbin.com",
    "rentry.co",
    "controlc.com",
    "ptpb.pw",
    "filebin.net",
    "uguu.se",
    "pomf.lain.la",
    "envs.sh",
    "ttm.sh",
    "x0.at",
    "0bin.net",
    "privatebin.net",
    "bpa.st",
    "termbin.io",
    "cl1p.net",
    "wetransfer.com",
    "mega.nz",
    "sendgb.com",
    "ufile.io",
    "workupload.com",
    "dosya.co",
    "filetransfer.io",
    "litterbox.catbox.moe",
    "bin.disroot.org",
    "paste.c-net.org",
    "pastebin.pl",
    "justpaste.it",
    "paste.sh",
    "snippet.host",
    "keep.sh",
    "free.keep.sh",
    "transfer.archivete.am",
    "transfer.whalebone.io",
    "fars.ee",
];

/// Addresses of bots and hooks that post to their owner's chat room.
const CHATS: &[&str] = &[
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "hooks.slack.com/",
    "api.telegram.org/bot",
    "outlook.office.com/webhook",
    "webhook.office.com/",
    "chat.googleapis.com/v1/spaces",
    "maker.ifttt.com/trigger",
    "hooks.zapier.com/",
    "api.pushover.net/",
    "ntfy.sh/",
    "api.day.app/",
    "qyapi.weixin.qq.com/cgi-bin/webhook",
    "oapi.dingtalk.com/robot",
    "open.feishu.cn/open-apis/bot",
];

/// Hosts that forward to a machine behind them.
const TUNNEL_ENDS: &[&str] = &[
    "serveo.net",
    "localhost.run",
    "nokey.localhost.run",
    "pinggy.io",
    "a.pinggy.io",
    "ssh.localhost.run",
    "srv.us",
    "tunnel.us.ngrok.com",
    "sirtunnel.com",
    "playit.gg",
    "lhr.life",
];

/// Common registries, forges, mirrors and documentation sites, one on each line. Publishers there are identifiable.
const KNOWN: &str = include_str!("known-hosts.txt");

fn is_below(host: &str, names: &[&str]) -> bool {
    names.iter().any(|name| is_name_below(host, name))
}

fn is_name_below(host: &str, name: &str) -> bool {
    host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
}

/// Returns whether the host is in common use.
pub(crate) fn is_known(host: &str) -> bool {
    // Buckets may belong to anyone.
    KNOWN.lines().any(|name| is_name_below(host, name)) && !host.ends_with("storage.googleapis.com")
}

/// Names that can't be registered, so they can't receive data (RFC 2606, RFC 6761).
const RESERVED: &[&str] = &["example", "example.com", "example.net", "example.org", "invalid", "localhost", "test"];

pub(crate) fn is_reserved(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    is_below(&host, RESERVED)
}

pub(crate) fn is_catcher(host: &str) -> bool {
    is_below(host, CATCHERS)
}

pub(crate) fn is_drop(host: &str) -> bool {
    is_below(host, DROPS)
}

pub(crate) fn is_tunnel_end(host: &str) -> bool {
    is_below(host, TUNNEL_ENDS)
}

/// Returns whether the address posts to a chat room.
pub(crate) fn is_chat(address: &str) -> bool {
    CHATS.iter().any(|start| address.contains(start))
}

/// Returns the host in the text of code that records or publishes received data.
pub(crate) fn recording_host(text: &str) -> Option<&'static str> {
    let is_named = |name: &&&str| {
        let mut at = text.match_indices(**name);
        at.any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            before.is_some_and(|char| matches!(char, '/' | '.' | '"' | '\'' | '@'))
        })
    };
    CATCHERS.iter().chain(DROPS).find(is_named).copied()
}
