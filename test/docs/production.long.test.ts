import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeIdentity } from '../support/certificate.ts';
import { pickFreePort } from '../support/free-port.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { readDocument, root } from './documents.ts';
import { runWalk } from './walk.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'octavo-walk-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Programs in the guide that would change the machine. They are replaced with programs that do nothing. */
const standIns = ['useradd', 'chown', 'apt-get'];

/** Creates a link instead of a clone, because installing and building takes minutes and has its own test. */
const git = `[ "$1" = clone ] || exec /usr/bin/git "$@"
mkdir -p "$(dirname "$3")" && ln -s "${root}" "$3"`;

/** Starts and stops the units of the guide as systemd would. */
const systemctl = `
unit=\${!#}
log=$PREFIX/$unit.log
wait_for() { for each in $(seq 600); do ! grep -q "$1" "$log" || return 0; sleep 0.2; done; cat "$log"; exit 1; }
run() { : > "$log"; ("$@") >> "$log" 2>&1 < /dev/null & echo $! > "$PREFIX/$unit.pid"; }
start() {
  command=$(sed -n 's/^ExecStart=//p' "$PREFIX/etc/systemd/system/$unit.service")
  cd "$PREFIX/opt/octavo"
  set -a; . "$PREFIX/etc/octavo.env"; set +a
  run setsid bash -c "exec \${command//\\/var\\/lib/$PREFIX/var/lib}"
}
case $1 in
  stop) kill -- -$(cat "$PREFIX/$unit.pid"); tail --pid="$(cat "$PREFIX/$unit.pid")" -f /dev/null ;;
  reload) run setsid caddy run --config "$PREFIX/etc/caddy/Caddyfile" --adapter caddyfile; for name in octavo docs; do wait_for "certificate obtained successfully.*$name"; done ;;
  *) start; [ "$unit" = octavo ] && wait_for 'Octavo is ready' || wait_for 'Copied' ;;
esac`;

async function writeProgram(name: string, text: string): Promise<void> {
  const file = path.join(folder, 'bin', name);
  await writeFile(file, `#!/bin/bash\nset -eu\n${text}\n`);
  await chmod(file, 0o755);
}

interface Addresses {
  /** The port of the server. */
  server: number;
  /** The loopback address on which Caddy listens at the default ports. */
  caddy: string;
}

/** Makes Node.js programs resolve the hostnames of the guide to Caddy's address. */
const createResolver = (caddy: string) => `
const dns = require('node:dns');
const { lookup } = dns;
dns.lookup = (name, options, done) => lookup(name.endsWith('.example.com') ? '${caddy}' : name, options, done);
`;

/** The certificate of Caddy's own authority. */
const getAuthorityPath = () => path.join(folder, 'caddy/pki/authorities/local/root.crt');

async function prepareMachine({ caddy }: Addresses): Promise<void> {
  for (const name of ['bin', 'etc/systemd/system', 'etc/caddy', 'var/lib/octavo'])
    await mkdir(path.join(folder, name), { recursive: true });
  for (const name of standIns) await writeProgram(name, 'exit 0');
  await writeProgram('git', git);
  await writeProgram('systemctl', systemctl);
  const names = ['octavo.example.com', 'acme.docs.example.com'].map(
    (name) => `connect-to = "${name}:443:${caddy}:443"`,
  );
  const certificates = `cacert = "${getAuthorityPath()}"`;
  await writeFile(path.join(folder, 'resolve.cjs'), createResolver(caddy));
  await writeFile(
    path.join(folder, '.curlrc'),
    ['silent', 'show-error', 'fail', certificates, ...names, ''].join('\n'),
  );
}

/**
 * Returns a function that replaces the paths and ports in a command. Caddy's own authority issues the certificates.
 */
function replaceFor({ server, caddy }: Addresses) {
  const options = `{\n\tadmin off\n\tdefault_bind ${caddy}\n\tlocal_certs\n\tskip_install_trust\n\tstorage file_system ${folder}/caddy\n}\n`;
  return (command: string): string => {
    const placed = command
      .replaceAll(/(?<![\w/])\/(opt\/octavo|etc\/|var\/lib\/)/g, `${folder}/$1`)
      .replaceAll('127.0.0.1:8787', `127.0.0.1:${server}`);
    const settings = `sed -i 's#/var/lib#${folder}/var/lib#' ${folder}/etc/octavo.env; echo PORT=${server} >> ${folder}/etc/octavo.env`;
    const file = `{ printf '${options.replaceAll('\n', '\\n').replaceAll('\t', '\\t')}'; sed 's/8787/${server}/' ${root}/deploy/Caddyfile; } > ${folder}/etc/caddy/Caddyfile`;
    return placed
      .replace(/^(cp \S+octavo\.env .*)$/m, `$1\n${settings}`)
      .replace(/^(cp \S+Caddyfile .*)$/m, `$1\n${file}`);
  };
}

/** A shell that keeps variables and the folder between commands. */
const openShell = () => {
  const scriptFile = path.join(folder, 'kept.sh');
  const env = {
    ...process.env,
    PREFIX: folder,
    HOME: folder,
    CURL_HOME: folder,
    NODE_OPTIONS: `--require ${folder}/resolve.cjs`,
    NODE_EXTRA_CA_CERTS: getAuthorityPath(),
    PATH: `${folder}/bin:${process.env.PATH}`,
  };
  execFileSync('touch', [scriptFile]);
  return {
    async run(script: string): Promise<string[]> {
      const keep = `{ export -p | grep -E ' (API|TOKEN|ORGANIZATION|OCTAVO_\\w+)='; echo "cd $PWD"; } > ${scriptFile}`;
      const whole = ['set -aeuo pipefail', `. ${scriptFile}`, script, keep].join('\n');
      const { status, stdout, stderr } = spawnSync('bash', ['-c', whole], { cwd: folder, env, encoding: 'utf8' });
      if (status !== 0)
        throw new Error(`${stderr.trim().split('\n').at(-1)} (exit code ${status}): ${script}\n${stderr}`);
      return stdout.split('\n').filter((line) => line !== '');
    },
  };
};

test('the commands of the production guide create an installation behind Caddy, a backup, and a restored copy', {
  timeout: 600_000,
}, async () => {
  const caddy = `127.${[1, 2, 3].map(() => randomInt(1, 250)).join('.')}`;
  const addresses = { server: await pickFreePort(), caddy };
  await prepareMachine(addresses);
  const shell = openShell();
  const stopAll = `for file in $PREFIX/*.pid; do kill -- -$(cat "$file") 2> /dev/null || :; tail --pid="$(cat "$file")" -f /dev/null; done`;
  onTestFinished(async () => void (await shell.run(stopAll)));

  await runWalk(shell, readDocument('docs/guides/run-in-production.md'), {
    url: `http://127.0.0.1:${addresses.server}`,
    skip: /^OCTAVO_SMTP_URL=|^npx octavo jobs/,
    replace: replaceFor(addresses),
  });

  const page = (await shell.run('curl https://acme.docs.example.com/docs/')).join('\n');
  expect(page).toContain('<title>');
  const log = await readFile(path.join(folder, 'var/lib/octavo/data/octavo.log'), 'utf8');
  expect(log).toContain('"address":"127.0.0.1"');
});

test('the systemd units and the Dockerfile are valid', async () => {
  for (const name of ['octavo', 'octavo-backup', 'octavo-directory']) {
    const unit = path.join(folder, `${name}.service`);
    await writeFile(
      unit,
      (await readFile(path.join(root, `deploy/${name}.service`), 'utf8')).replaceAll('/opt/octavo', root),
    );
    expect(execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })).toBe('');
  }
  expect(validate(readDocument('deploy/Dockerfile'))).toEqual([]);
});

/** Starts nginx with the example configuration, on other ports and with a certificate of the test. */
async function startNginx(https: number, http: number): Promise<ChildProcess> {
  const { privateKey, certificate } = makeIdentity();
  await writeFile(path.join(folder, 'octavo.pem'), certificate);
  await writeFile(path.join(folder, 'octavo.key'), privateKey);
  const site = readDocument('deploy/nginx.conf')
    .replaceAll('/etc/ssl/', `${folder}/`)
    .replace('http://127.0.0.1:8787', platform().url)
    .replace('listen 443 ssl', `listen 127.0.0.1:${https} ssl`)
    .replace('listen 80', `listen 127.0.0.1:${http}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const config = `daemon off;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${site}}\n`;
  await writeFile(path.join(folder, 'nginx.conf'), config);
  execFileSync('nginx', ['-q', '-t', '-c', path.join(folder, 'nginx.conf')], { stdio: 'pipe' });
  const child = spawn('nginx', ['-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  });
  return child;
}

const get = (port: number, route: string) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const headers = { host: '127.0.0.1' };
    request({ port, host: '127.0.0.1', path: route, headers, rejectUnauthorized: false }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode, text });
    })
      .on('error', reject)
      .end();
  });

test('nginx serves the platform with the example', async () => {
  const [https, http] = [await pickFreePort(), await pickFreePort()];
  await startNginx(https, http);
  const health = await until(() => get(https, '/health').catch(() => undefined));

  expect(health).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect((await get(https, '/v1/user')).status).toBe(401);
  expect((await fetch(`http://127.0.0.1:${http}/v1`, { redirect: 'manual' })).status).toBe(301);
});
