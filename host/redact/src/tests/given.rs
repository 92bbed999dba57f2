//! Lines that give a secret to somebody, and lines that do not although they look like it.

use super::*;

/// What stands in the place of `SECRET` goes, and nothing else.
const LINES: &[&str] = &[
    // Addresses.
    "git clone 'https://SECRET@git.example.com/a/b' c",
    "git push https://bot:\"SECRET\"@git.example.com/a main",
    "git remote add o \"https://bot:SECRET\"@git.example.com/a",
    "git fetch https://'SECRET'@git.example.com/a",
    "curl https://SECRET:@api.example.com/v1",
    "curl 'http://SECRET:x-oauth-basic@api.example.com/v1'",
    "pip install --index-url 'https://u:SECRET@pypi.example.com/simple' x",
    "psql \"postgres://u:SECRET@db/x?sslmode=require\" -c 'select 1'",
    "git push HTTPS://SECRET@git.example.com/a",
    "pip install git+https://SECRET@git.example.com/a",
    // Statements of SQL.
    "psql -c \"create user a with password E'SECRET'\"",
    "psql <<X\nALTER ROLE a\n  WITH PASSWORD 'SECRET';\nX",
    "mysql -e \"set password = password('SECRET'); drop table x\"",
    "redis-cli config set requirepass SECRET",
    "psql -c \"create role r login password 'SECRET'\"",
    "psql -c \"ALTER USER r WITH ENCRYPTED PASSWORD 'SECRET'; DROP TABLE x\"",
    "psql -c 'alter role r password '\\''SECRET'\\'''",
    "mysql -e \"CREATE USER 'a'@'%' IDENTIFIED BY 'SECRET'\"",
    "mysql -e \"alter user a identified with caching_sha2_password by 'SECRET'; flush privileges\"",
    "mysql -e 'grant all on x.* to a identified by \"SECRET\"'",
    "mysql -e \"create user a identified by \\\"SECRET\\\"\"",
    "mysql -e \"SET PASSWORD FOR 'a'@'h' = 'SECRET'\"",
    "mysql -e \"set password for a = password('SECRET')\"",
    "mysql -e \"update mysql.user set password=PASSWORD('SECRET') where user='a'\"",
    "echo 'create user a identified by SECRET;' | sqlplus /nolog",
    // curl, wget and their like.
    "curl -b sid=SECRET https://example.com",
    "curl -sb 'sid=SECRET' https://example.com",
    "curl --oauth2-bearer SECRET https://example.com",
    "curl --oauth2-bearer=SECRET https://example.com",
    "curl --proxy-user me:SECRET https://example.com",
    "curl -U 'me:SECRET' https://example.com",
    "curl -u SECRET: https://example.com",
    "curl -H 'X-Auth-Token: SECRET' https://example.com",
    "curl -H 'Authorization: SECRET' https://example.com",
    "wget --http-password SECRET https://example.com",
    "wget --ftp-password=SECRET ftp://example.com",
    "https -a me:SECRET POST example.com/x a=b",
    "xh -a 'me:SECRET' example.com/x",
    "curl -x u:SECRET@p:80 https://example.com",
    "curl -E c.pem:SECRET https://example.com",
    // What flows into a program.
    "yes SECRET | sudo --stdin make",
    "/bin/echo SECRET | command sudo -S make",
    "{ echo -n SECRET; } | sudo -S make",
    "docker login -u a -p $(echo SECRET) r",
    "IFS= read -r API_TOKEN <<< SECRET",
    "echo SECRET | vault kv put secret/x a=-",
    "echo 'root:SECRET' | sudo chpasswd",
    "chpasswd <<< \"root:SECRET\"",
    "printf '%s\\n' \"SECRET\" | sudo -S -k make install",
    "sudo -S -k make install < <(echo SECRET)",
    "sudo -kS make install <<< SECRET",
    "printf SECRET | docker login -u me --password-stdin r.example.com",
    "echo -n SECRET | base64 | docker login -u me --password-stdin r",
    "echo \"SECRET\" | gh auth login --with-token",
    "gh auth login --with-token < <(printf %s SECRET)",
    "gh auth login --with-token <<X\nSECRET\nX\ngh auth status",
    "wrangler secret put API_KEY <<< SECRET",
    "echo SECRET | npx wrangler secret put API_KEY",
    "gh secret set X <<< 'SECRET'",
    "echo SECRET | vercel env add DB production",
    "echo SECRET | docker secret create db -",
    "echo SECRET | pass insert -e web/x",
    "cat <<X | gh secret set Y\nSECRET\nX",
    "read API_TOKEN <<< SECRET",
    "read -r DB_PASS <<< 'SECRET'",
    "printf -v API_TOKEN %s SECRET",
    // What flows into a file of secrets.
    "echo SECRET > .env",
    "echo API=SECRET >> .env.local && ls",
    "echo \"A=SECRET\" > ./app/.env",
    "printf 'A=%s\\n' SECRET > .env",
    "printf 'A=%s' 'SECRET' | tee -a .env",
    "tee .env <<< SECRET",
    "tee -a app/.env <<< 'A=SECRET' > /dev/null",
    "echo SECRET | sudo tee /run/secrets/db",
    "cat > .env <<X\nA=SECRET\n# note\nB='SECRET'\nX\nls",
    "cat <<-'E' >.env.production\n\texport A=SECRET\n\tE\nls -a",
    "cat >> ~/.netrc <<X\nmachine h login a password SECRET\nX",
    "echo 'machine h login a password SECRET' >> ~/.netrc",
    "echo machine h login a password SECRET >> ~/.netrc",
    "printf 'machine h\\n' ; cat > _netrc <<X\nmachine h\n  login a\n  password SECRET\nX",
    "echo h:5432:db:u:SECRET > ~/.pgpass",
    "echo 'https://u:SECRET@git.example.com' > ~/.git-credentials",
    "echo SECRET > ~/.config/api_token",
    "echo SECRET >> deploy/password.txt",
    "{ echo A=SECRET; echo B=SECRET; } > .env",
    "(echo A=SECRET; echo B=SECRET) > .env",
    "builtin echo SECRET > .env",
    "dd of=.env <<< SECRET",
    // Subcommands.
    "vault kv put secret/x key=SECRET",
    "vault kv put -mount=secret x a=SECRET b=SECRET",
    "vault write auth/x/login k=SECRET",
    "vault login SECRET",
    "fly secrets set NAME=SECRET OTHER=SECRET -a app",
    "flyctl secrets set 'NAME=SECRET'",
    "heroku config:set API_TOKEN=SECRET",
    "supabase secrets set A=SECRET",
    "gh secret set X -b SECRET",
    "gh secret set X --body 'SECRET' -R o/r",
    "kubectl create secret generic s --from-literal=a=SECRET",
    "kubectl -n x create secret generic s --from-literal b=SECRET",
    "oc create secret generic s --from-literal='a=SECRET'",
    "vercel -t SECRET deploy",
    "vercel deploy --token=SECRET",
    "netlify deploy --auth SECRET",
    "snyk auth SECRET",
    "oc login -u a -p SECRET https://h:6443",
    "oc login --token=SECRET",
    "sqlplus sys/SECRET@db as sysdba",
    "sqlplus -S 'scott/SECRET'@//h:1521/x @run.sql",
    "lftp -u a,SECRET sftp://h",
    "smbclient -U user%SECRET //h/s",
    "smbclient //h/s --user='W\\user%SECRET'",
    "ansible-playbook x.yml --extra-vars \"db_pass=SECRET\"",
    "ansible-playbook x.yml -e db_pass=SECRET",
    "ansible-playbook x.yml -e '{\"db_pass\": \"SECRET\"}'",
    "poetry publish -u a -p SECRET",
    "twine upload -u a -p SECRET dist/x",
    "npm publish --otp SECRET",
    "npm publish --otp=SECRET",
    "gem push --key SECRET x.gem",
    "gpg --batch --passphrase SECRET -c x",
    "set -gx SECRET_TOKEN SECRET",
    "set -x SECRET_TOKEN 'SECRET'",
    "az login -u a --password SECRET",
    "gcloud sql users set-password root --password=SECRET",
    "aws rds modify-db-instance --master-user-password SECRET",
    "terraform apply -var 'db_password=SECRET'",
    "sshpass -p 'SECRET' ssh h",
    "redis-cli -h x auth SECRET",
    // Names.
    "MY_PW=SECRET make",
    "ADMIN_PIN=SECRET make",
    "DB_PASS+=SECRET",
    "export SMTP_PASS=\"SECRET\"",
    "dbPass: SECRET",
    "# token SECRET",
    "ls # the password SECRET",
    "python -c \"requests.get(u, auth=('me','SECRET'))\"",
    "requests.get(u, auth = (\"me\", \"SECRET\"), timeout=3)",
    "get(u, auth=HTTPBasicAuth('me', 'SECRET'))",
    "./run ${DB_PASSWORD:-SECRET} x",
    "curl --json '{\"pin\": \"SECRET\"}' https://example.com",
    "curl -H 'X-Amz-Signature: SECRET' https://example.com",
    "python -c \"os.environ['API_KEY'] = 'SECRET'\"",
    "make # the password is SECRET",
];

/// What stands in the place of `SECRET` goes, with a little more.
const ROUGHLY: &[&str] = &[
    "curl --cookie \"sid=SECRET\" https://example.com",
    "curl -H 'Cookie: a=b; sid=SECRET' https://example.com",
    "curl -H 'Authorization: Digest username=\"u\", response=\"SECRET\"' https://example.com",
    "curl -H 'Authorization: Custom SECRET' https://example.com",
    "http --auth=me:SECRET https://example.com",
    "sqlcmd -Q \"CREATE LOGIN a WITH PASSWORD = N'SECRET'\" -S https://example.com",
    "printf 'root:%s' SECRET | chpasswd # https://example.com",
];

/// Not one of these holds a secret.
const HONEST: &[&str] = &[
    "git clone git@github.com:x/y",
    "git push ssh://git@host/x main",
    "git clone https://alice@git.example.com/x",
    "PASSWORD= git push",
    "export TOKEN= && git push",
    "API_KEY= ./run --fast",
    "ssh-keygen -N '' -f x",
    "ssh-keygen -t ed25519 -N \"\" -C me -f y",
    "aws secretsmanager get-secret-value --secret-id prod/password",
    "aws secretsmanager delete-secret --secret-id prod/db1-token --force-delete-without-recovery",
    "git push origin release/eyJson-serializer-improvements-v2",
    "git checkout hf_transformers-integration-for-the-model-hub-v3",
    "git commit -m \"auth: add login\"",
    "git commit -m 'fix(token): renew it early'",
    "git commit -m \"cookie: parse dates\"",
    "git commit -m 'token: drop the old ones' -m 'secret: none is left'",
    "token = get()",
    "const token = await client.fetch(url)",
    "password = getpass.getpass()",
    "api_key=os.environ[\"API_KEY\"]",
    "token = settings.API_TOKEN",
    "curl -H \"Authorization: Bearer $TOKEN\" https://example.com",
    "curl -H \"X-Api-Key: ${KEY}\" https://example.com",
    "docker login -u me -p \"$PASS\" r",
    "curl -u \"me:$PASS\" https://example.com",
    "TOKEN=$OTHER ./run",
    "TOKEN=\"$(cat x)\" ./run",
    "docker run -v $PWD:/w alpine",
    "docker run -v \"$PWD\":/w -v ${PWD}/a:/b alpine",
    "gpg --delete-secret-keys me",
    "gpg --export-secret-keys --armor me",
    "docker build --secret id=x,src=y .",
    "TOKEN=/run/secrets/token ./run",
    "ssh --private-key ~/.ssh/id_x h",
    "read -p \"Password:\" x && rm -rf y",
    "bash -c \"mysql --password\" x",
    "mysql --password --user me",
    "echo PORT=80 > config.ini",
    "echo hello > .env.example",
    "echo hello > tokenizer.py",
    "echo yes | sudo tee /etc/x.conf",
    "cat .env | grep A",
    "echo hi | docker run -i x",
    "read -r line <<< hello",
    "set -x; set -e; token --help",
    "vault kv get secret/x",
    "vault kv put secret/x @data.json",
    "heroku config:set NODE_ENV=production",
    "gh secret set X --repo o/r",
    "kubectl get secret db1-creds2 -o yaml",
    "curl -b jar.txt https://example.com",
    "lftp -u a sftp://h",
    "smbclient -U user //h/s",
    "sqlplus / as sysdba",
    "sqlplus user@db @sql/x.sql",
    "psql -c \"create table user (password text)\"",
    "psql -c \"alter user x password null\"",
    "grep password 'file name'",
    "# token refresh",
    "def login(user, password): pass",
    "password = config[\"password\"]",
    "fn check(token: &str, secret: String) -> bool",
    "curl -H 'Authorization: Bearer '\"$TOKEN\" https://example.com",
    "curl -H \"Cookie: $COOKIE\" https://example.com",
    "ssh -o PasswordAuthentication=no h",
    "ansible-playbook --ask-vault-pass x.yml",
    "pip install auth-token==2.0",
    "http POST example.com/a:b c=d",
];

#[test]
fn what_is_given_to_somebody_does_not_come_through() {
    let mut missed = Vec::new();
    for line in LINES {
        for secret in ["hUnt3rSeKr1t", "Wp7-qR9.zT4"] {
            let shown = redact(&planted(line, secret));
            if shown != planted(line, MARK) {
                missed.push(format!("{line}\n  is shown as\n{shown}"));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The line with this in the place of each `SECRET` that is not a piece of a name.
fn planted(line: &str, secret: &str) -> String {
    line.replace("SECRET_TOKEN", "\u{1}").replace("SECRET", secret).replace('\u{1}', "SECRET_TOKEN")
}

#[test]
fn what_looks_like_a_gift_stays() {
    let changed = HONEST.iter().filter(|line| redact(line) != **line);
    let changed: Vec<String> = changed.map(|line| format!("{line}\n  is shown as\n{}", redact(line))).collect();
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn the_host_of_a_secret_stays() {
    for line in ROUGHLY {
        let shown = redact(&planted(line, "hUnt3rSeKr1t"));
        assert!(!shown.contains("hUnt3rSeKr1t") && shown.contains("https://example.com"), "{line}: {shown}");
    }
}
