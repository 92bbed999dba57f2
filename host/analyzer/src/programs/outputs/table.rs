//! The tables: the outputs of programs, and the usual names of options for outputs.

use super::{ByOperand, ByOption, File};
use crate::options::Options;

/// Options of any program whose value is a file that it writes.
pub(super) const ANY: &[&str] = &[
    "--dest",
    "--destination",
    "--dump-file",
    "--export-file",
    "--junit-xml",
    "--junitxml",
    "--log-file",
    "--logfile",
    "--out-file",
    "--outfile",
    "--output-document",
    "--output-file",
    "--output-path",
    "--output_file",
    "--report-file",
    "--result-file",
    "--save-as",
    "--save-to",
];

/// Output options that may also take a format or a column.
pub(super) const SHORT: &[&str] = &["-o", "--output", "--out"];

/// Ends of option names whose value after `=` may be a file: `--python_out=DIR`, `--json-output=FILE`.
pub(super) const ENDS: &[&str] = &["_out", "-out", "_output", "-output", "-outfile"];

/// Programs that use these options for other purposes.
pub(super) const NO_OUTPUT: &[&str] = &[
    "apt", "apt-get", "aptitude", "autossh", "findmnt", "gmake", "groupadd", "ip", "java", "lsns", "make", "mosh",
    "pytest", "py.test", "qmake", "ssh", "sshfs", "sshpass", "useradd", "usermod", "xrandr", "zfs", "zpool",
];

/// Names of formats that look like file names.
pub(super) const NO_FILE: &[&str] = &["-", "JSON", "YAML", "XML", "CSV", "TSV", "HTML", "Text", "Json", "Table"];

const fn option(names: &'static [&'static str], options: &'static [&'static str]) -> ByOption {
    ByOption { names, options }
}

pub(super) const BY_OPTION: &[ByOption] = &[
    option(&["nmap"], &["-oN", "-oG", "-oX", "-oA", "-oS"]),
    option(&["ffuf"], &["-of", "-o"]),
    option(&["masscan"], &["-oL", "-oJ", "-oG", "-oX"]),
    option(&["screen"], &["-Logfile"]),
    option(&["valgrind"], &["--xml-file"]),
    option(&["tcpdump", "tshark", "dumpcap"], &["-w"]),
    option(&["go"], &["-o", "-coverprofile", "-cpuprofile", "-memprofile", "-blockprofile", "-mutexprofile", "-trace"]),
    option(&["rustc", "swiftc", "nasm", "yasm", "llc", "ocamlc", "ocamlopt", "ghc", "valac", "gnatmake"], &["-o"]),
    option(&["crystal", "dart", "deno", "zig", "odin", "v", "shuf", "sdiff", "tree"], &["-o", "--output"]),
    option(&["zig"], &["-femit-bin", "-femit-h", "-femit-docs"]),
    option(&["nim"], &["-o", "--out", "--outdir"]),
    option(&["dmd", "ldc2"], &["-of"]),
    option(&["csc", "mcs", "vbc"], &["-out", "/out"]),
    option(&["fpc"], &["-o", "-FE"]),
    option(&["javac", "kotlinc", "scalac", "groovyc", "javadoc"], &["-d", "-s", "-h"]),
    option(&["tsc"], &["--outFile", "--declarationDir", "--tsBuildInfoFile", "--generateTrace"]),
    option(&["babel", "swc", "rollup"], &["-o", "-d", "--file", "--dir"]),
    option(&["antora"], &["--to-dir"]),
    option(&["cargo"], &["--target-dir"]),
    option(&["dotnet"], &["-o", "--output", "--artifacts-path"]),
    option(&["genhtml", "lcov", "gcovr", "grcov"], &["-o", "--output-path"]),
    option(&["hugo", "jekyll"], &["-d", "--destination"]),
    option(&["jest"], &["--coverageDirectory"]),
    option(&["mdbook", "vuepress"], &["-d", "--dest-dir", "--dest"]),
    option(&["mkdocs"], &["-d", "--site-dir"]),
    option(&["openapi-generator", "openapi-generator-cli", "swagger-codegen"], &["-o", "--output"]),
    option(&["parcel"], &["--dist-dir"]),
    option(&["pelican", "sphinx-apidoc"], &["-o", "--output"]),
    option(&["swift"], &["--scratch-path", "--build-path"]),
    option(&["tsup", "rspack", "wasm-pack", "trunk"], &["-d", "-o", "--out-dir", "--dist"]),
    option(&["typedoc"], &["--out"]),
    option(&["vite", "vitest"], &["--outDir"]),
    option(&["xcodebuild"], &["-derivedDataPath"]),
    option(&["protoc"], &["-o", "--descriptor_set_out", "--dependency_out"]),
    option(&["dot", "neato", "fdp", "sfdp", "twopi", "circo", "osage", "patchwork"], &["-o"]),
    option(&["bison", "yacc", "byacc", "flex", "lex", "re2c"], &["-o", "--header", "--defines", "--header-file"]),
    option(&["inkscape"], &["--export-filename", "--export-file", "--export-plain-svg", "--export-png"]),
    option(&["gs", "ghostscript"], &["-o", "-sOutputFile"]),
    option(&["chromium", "chromium-browser", "chrome", "google-chrome", "msedge"], &["--screenshot", "--print-to-pdf"]),
    option(&["jpegtran", "cjpeg", "djpeg"], &["-outfile"]),
    option(&["lipo"], &["-output"]),
    option(&["glslangvalidator", "glslc", "spirv-opt", "dxc"], &["-o", "-Fo"]),
    option(&["minisign", "signify"], &["-x", "-p", "-s"]),
    option(&["logrotate"], &["-s", "--state", "-l", "--log"]),
    option(&["mysqldump", "mariadb-dump"], &["-r", "--result-file"]),
    option(&["mongodump"], &["-o", "--out", "--archive"]),
    option(&["mongoexport"], &["-o", "--out"]),
    option(&["pg_basebackup"], &["-D", "--pgdata"]),
    option(&["redis-cli", "valkey-cli"], &["--rdb", "--functions-rdb"]),
    option(&["docker", "podman", "nerdctl", "buildah"], &["--iidfile", "--cidfile", "--metadata-file", "--digestfile"]),
    option(&["eslint", "stylelint", "biome", "oxlint"], &["-o", "--output-file"]),
    option(&["ctags", "etags"], &["-f", "-o"]),
    option(&["xgettext", "msgfmt", "msgmerge", "msgcat"], &["-o", "--output-file"]),
    option(&["conda", "mamba", "micromamba"], &["-f", "--file"]),
    option(&["mvn", "mvnw"], &["-l", "--log-file"]),
    option(&["perf"], &["-o", "--output"]),
    option(&["coverage"], &["-o", "-d"]),
    option(&["cmake"], &["-B", "--graphviz"]),
    option(&["jsonnet", "xmllint", "xsltproc", "tidy", "cue"], &["-o", "--output", "--output-file", "--outfile"]),
    option(&["syft", "grype"], &["--file"]),
    option(&["pulumi"], &["--file"]),
    option(&["gh"], &["-O", "--output"]),
    option(&["mkcert"], &["-cert-file", "-key-file", "-p12-file"]),
    option(&["hg"], &["-o", "--output"]),
];

const NONE: ByOperand =
    ByOperand { names: &[], verbs: &[], with: &[], without: &[], options: Options::NONE, file: File::Last };

/// Programs with long options after a single dash, most with a value.
const LAST_WORD: ByOperand = ByOperand { file: File::LastWord, ..NONE };

pub(super) const BY_OPERAND: &[ByOperand] = &[
    ByOperand {
        names: &["ffmpeg", "avconv", "magick", "convert", "composite", "montage", "gm", "sox", "gdal_translate"],
        without: &["identify", "list", "formats", "codecs", "encoders"],
        ..LAST_WORD
    },
    ByOperand {
        names: &["gdalwarp", "qpdf", "wkhtmltopdf", "wkhtmltoimage", "pdfunite", "avifenc", "heif-convert"],
        without: &["check", "show-pages", "list-attachments", "json", "is-encrypted"],
        ..LAST_WORD
    },
    ByOperand { names: &["mogrify"], file: File::LastWord, ..NONE },
    ByOperand { names: &["ogr2ogr"], options: Options { single: true, ..OGR }, file: File::At(0), ..NONE },
    ByOperand {
        names: &["pdftotext", "pdftops", "ps2pdf", "pdftohtml", "pdftocairo"],
        options: Options { single: true, ..Options::new("", "f l r x y W H enc eol opw upw") },
        file: File::At(1),
        ..NONE
    },
    ByOperand {
        names: &["weasyprint", "lame", "opusenc", "ddrescue", "lessc", "sass", "sassc", "node-sass", "papermill"],
        options: Options::new("IbmrspkVq", "include-path load-path style source-map-url precision kernel"),
        file: File::At(1),
        ..NONE
    },
    ByOperand {
        names: &["typst"],
        verbs: &["compile", "c"],
        options: Options::new("f", "root input font-path format ppi"),
        file: File::At(1),
        ..NONE
    },
    ByOperand { names: &["mksquashfs", "fasm", "makeself"], file: File::At(1), ..NONE },
    ByOperand {
        names: &["playwright"],
        verbs: &["screenshot", "pdf"],
        options: Options::new("b", "browser device viewport-size"),
        file: File::At(1),
        ..NONE
    },
    ByOperand { names: &["asciinema"], verbs: &["rec"], file: File::At(0), ..NONE },
    ByOperand { names: &["htpasswd", "htdigest"], without: &["n"], file: File::At(0), ..NONE },
    ByOperand { names: &["ar", "gar", "llvm-ar"], verbs: AR, file: File::At(0), ..NONE },
    ByOperand { names: &["ranlib", "llvm-ranlib"], file: File::From(0), ..NONE },
    ByOperand { names: &["etcdctl"], verbs: &["snapshot save"], file: File::At(0), ..NONE },
    ByOperand {
        names: &["aws"],
        verbs: &["s3api get-object", "lambda invoke"],
        options: Options::new("", "bucket key function-name payload region profile range version-id cli-binary-format"),
        file: File::At(0),
        ..NONE
    },
    ByOperand { names: &["adb"], verbs: &["pull"], file: File::Last, ..NONE },
    ByOperand {
        names: &["git"],
        verbs: &["merge-file"],
        options: Options::new("L", ""),
        without: &["p", "stdout"],
        file: File::At(0),
        ..NONE
    },
    // Changed in place.
    ByOperand {
        names: &["sd"],
        without: &["p", "preview", "s-preview"],
        options: Options::new("nf", "max-replacements flags"),
        file: File::From(2),
        ..NONE
    },
    ByOperand {
        names: &["mlr"],
        with: &["I"],
        options: Options::new("", "ifs ofs ips ops from"),
        file: File::From(1),
        ..NONE
    },
    ByOperand {
        names: &["sops"],
        with: &["i", "in-place"],
        options: Options::new("", "set config pgp kms age"),
        file: File::From(0),
        ..NONE
    },
    ByOperand {
        names: &["ansible-vault"],
        verbs: &["encrypt", "decrypt", "rekey", "edit", "create"],
        without: &["output"],
        options: Options::new("", "vault-id vault-password-file encrypt-vault-id new-vault-id output"),
        file: File::From(0),
        ..NONE
    },
    ByOperand { names: &["jpegoptim", "optipng", "advpng", "oxipng"], without: OPTIMIZED, file: File::From(0), ..NONE },
    ByOperand { names: &["recode"], file: File::From(1), ..NONE },
];

const OGR: Options = Options::new("", "f t_srs s_srs sql where lco dsco nln clipsrc select");

const OPTIMIZED: &[&str] = &["out", "dir", "d", "dest", "stdout", "pretend", "simulate", "n", "P", "noaction"];

/// Letters of `ar` that change an archive.
const AR: &[&str] = &["r", "rc", "rcs", "rcu", "ru", "rs", "crs", "cr", "cru", "q", "qc", "qs", "s", "d", "m"];
