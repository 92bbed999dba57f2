//! Calls of libraries and of other objects, and long code.

use super::*;

fn shown(language: &str, code: &str) -> Vec<String> {
    let text = |what| match what {
        Runnable::Words { words, .. } => words.iter().map(|word| word.text.clone()).collect::<Vec<_>>().join(" "),
        Runnable::Text { text, .. } => text.text,
    };
    commands(language, code).into_iter().map(text).collect()
}

#[test]
fn calls_of_a_library_have_the_words_of_a_program() {
    for (language, code, expected) in [
        ("python", "import boto3\nboto3.client('ec2').stop_instances(x)", "aws ec2 stop-instances"),
        (
            "python",
            "import boto3 as b\ns = b.Session()\nr = s.client('rds')\nr.delete_x(A='y')",
            "aws rds delete-x --name y",
        ),
        ("python", "import docker\n[v.remove() for v in docker.from_env().volumes.list()]", "docker volume rm x"),
        (
            "javascript",
            "import {K} from '@kubernetes/client-node'\nconst k = new K()\nk\n  .deleteNamespace('p')",
            "kubectl delete namespace p",
        ),
        (
            "javascript",
            "require('stripe')(k).customers.list().then(l => l.customers.del(1))",
            "curl -X DELETE https://api.stripe.com/customers/x",
        ),
        ("ruby", "require 'aws-sdk-ec2'\nAws::EC2::Client.new.terminate_instances(x)", "aws ec2 terminate-instances"),
        (
            "php",
            "use Aws\\Ec2\\Ec2Client;\n$c = new Ec2Client([]);\n$c->terminateInstances([]);",
            "aws ec2 terminate-instances",
        ),
    ] {
        assert!(shown(language, code).iter().any(|line| line == expected), "{code}: {:?}", shown(language, code));
    }
}

#[test]
fn objects_of_others_have_no_part_in_it() {
    for (language, code) in [
        ("python", "import boto3\ns = boto3.client('s3')\nd = p.read(s.get_object())\nd.reset_index()\nl.delete_x()"),
        ("python", "import docker\ntags.remove('docker')"),
        ("javascript", "const o = require('@octokit/rest')\nconst m = new Map(o.x)\nm.delete('a')"),
        ("python", "# import boto3\ns3.delete_bucket('x')"),
        (
            "python",
            "import boto3\ns = boto3.client('ec2', endpoint_url='http://localhost:4566')\ns.terminate_instances()",
        ),
    ] {
        let lost = |line: &String| ["delete", "rm", "reset"].iter().any(|verb| line.contains(verb));
        assert!(!shown(language, code).iter().any(lost), "{code}: {:?}", shown(language, code));
    }
}

#[test]
fn only_objects_of_a_local_service_are_left_out() {
    for code in [
        "print('localhost')\nimport boto3\nboto3.client('s3').delete_bucket(Bucket='prod')",
        "import boto3\na = boto3.client('s3', endpoint_url='http://localhost:4566')\nb = boto3.client('s3')\nb.delete_bucket()",
        "import boto3\nboto3.client('s3', endpoint_url='http://localhost@example.com').delete_bucket(Bucket='prod')",
        "import boto3\nboto3.client('s3').delete_bucket(Bucket='localhost')",
        "import boto3, moto\nboto3.client('s3').delete_bucket(Bucket='prod')",
        "import paramiko\nc = paramiko.SSHClient()\nc.connect('localhost')\nc.exec_command('reset')",
    ] {
        assert!(!commands("python", code).is_empty() && !Services::of("python", code).is_rehearsal(), "{code}");
    }
    for code in [
        "import boto3\nboto3.client('s3', endpoint_url='http://localhost:4566').delete_bucket(Bucket='b')",
        "import boto3\nc = boto3.client('rds', endpoint_url='http://127.0.0.1:4566')\nc.delete_db_instance()",
        "import boto3\nu = 'http://localhost:4566'\nboto3.client('s3', endpoint_url=u).delete_bucket(Bucket='b')",
    ] {
        assert!(commands("python", code).is_empty() && Services::of("python", code).is_rehearsal(), "{code}");
    }
}

#[test]
fn roundabout_calls_have_a_plain_spelling() {
    for (language, code, expected) in [
        ("python", "getattr(c, 'drop_x')(1)", "c.drop_x(1)"),
        ("python", "n = 'drop_x'\ngetattr(f(a, b), n)()", "n=\"\nf(a,b).drop_x()"),
        ("python", "c.__getattribute__('drop_x')()", "c.drop_x()"),
        ("python", "operator.methodcaller('drop_x', 1)(c)", "c.drop_x(1)"),
        ("javascript", "c['dropX'](1)", "c.dropx(1)"),
        ("javascript", "c?.a?.dropX?.(1)", "c.a.dropx(1)"),
        ("javascript", "c.dropX.call(c, 1)", "c.dropx(c,1)"),
        ("ruby", "c.send(:drop_x, 1)", "c.drop_x(1)"),
        ("ruby", "c.public_send(\"drop_x\")", "c.drop_x()"),
    ] {
        assert_eq!(Services::of(language, code).plain.as_deref(), Some(expected), "{code}");
    }
    for (language, code) in
        [("python", "getattr(c, name)()"), ("javascript", "c['a-b'](1); d['x'] = 1"), ("ruby", "c.send(x)")]
    {
        assert_eq!(Services::of(language, code).plain, None, "{code}");
    }
}

#[test]
fn long_and_deep_code_is_read_in_time() {
    for part in [
        "x=(",
        "s3.a(",
        "[",
        "\n",
        "'",
        "s3.",
        "for s3 in ",
        "import boto3,",
        "x => (",
        "s3.delete_x();",
        "}",
        "getattr(s3, ",
        "s3?.[",
        "const {a: b} = s3;",
        "mockClient(s3);",
        "m = 'a'\n",
    ] {
        let code = format!("import boto3 as s3\n{}", part.repeat(5_000));
        for language in ["python", "javascript", "ruby", "php"] {
            assert!(commands(language, &code).len() <= limits::STARTS);
        }
    }
}
