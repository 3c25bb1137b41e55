import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Embedded, toCapnpText } from './capnp-text.ts';
import { findWorkerd } from './local-runtime.ts';

const compatibilityDate = '2026-08-01';

// Ends the runtime when the pipe closes. Only this process holds the other end, so the pipe closes for any reason that
// ends the process.
const watchdog = 'cat > /dev/null; kill -9 "$1" 2> /dev/null';

export interface ScriptServer {
  /** The URL of the script, on loopback. */
  url: string;
  stop(): Promise<void>;
}

/** Runs one module in its own runtime, so that its author can try it. `log` receives each line that the module logs. */
export async function serveScript(script: string, log: (line: string) => void): Promise<ScriptServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-script-'));
  const module = path.join(folder, 'script.js');
  const config = path.join(folder, 'config.capnp');
  await writeFile(module, script);
  await writeFile(config, createConfig(module));
  const child = spawn(findWorkerd(), ['serve', '-I/', '--control-fd=3', config], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  for (const output of [child.stdout, child.stderr])
    if (output !== null) createInterface({ input: output }).on('line', log);
  const release = guard(child);
  const stop = async () => {
    await endProcess(child);
    release();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { url: `http://127.0.0.1:${await waitForPort(child)}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function createConfig(module: string): string {
  const config = {
    services: [
      {
        name: 'script',
        worker: {
          modules: [{ name: 'script.js', esModule: new Embedded(module) }],
          compatibilityDate,
          compatibilityFlags: ['nodejs_compat'],
          globalOutbound: 'outside',
        },
      },
      { name: 'outside', network: { allow: ['public', 'private'], tlsOptions: { trustBrowserCas: true } } },
    ],
    sockets: [{ name: 'http', address: '127.0.0.1:0', http: {}, service: 'script' }],
  };
  return `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = ${toCapnpText(config)};\n`;
}

function guard(child: ChildProcess): () => void {
  const watching = spawn('/bin/sh', ['-c', watchdog, 'watchdog', String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watching.unref();
  return () => watching.kill('SIGKILL');
}

/** Returns the port on which the runtime reports that it listens. */
async function waitForPort(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit').then(() => undefined);
  const output = (async () => {
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      const { event, port } = JSON.parse(line) as { event: string; port?: number };
      if (event === 'listen') return port;
    }
    return ended;
  })();
  const port = await Promise.race([output, ended]);
  if (port === undefined) throw new Error('The script could not be started.');
  return port;
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
