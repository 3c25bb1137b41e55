import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connectHost } from './local-runtime.ts';

/**
 * On every socket, including the public one, Miniflare allows CONNECT to this host, which gives access to an internal
 * protocol of the runtime. This filter reads the runtime's configuration from stdin and writes it to stdout, with the
 * host replaced by a random name of the same length.
 */
const connectName = Buffer.from(connectHost);
const unknown = randomBytes(connectName.length).toString('hex').slice(0, connectName.length);
const configuration = readFileSync(0);
for (let index = configuration.indexOf(connectName); index >= 0; index = configuration.indexOf(connectName, index))
  configuration.write(unknown, index);
writeFileSync(1, configuration);
