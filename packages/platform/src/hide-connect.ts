import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connectHost } from './local-runtime.ts';

/*
 * On every socket, the public one too, Miniflare lets CONNECT to this host into a protocol of the runtime's own. In the
 * runtime's configuration, which comes in here and goes out, a name of equal length that nobody knows takes its place.
 */
const connectName = Buffer.from(connectHost);
const unknown = randomBytes(connectName.length).toString('hex').slice(0, connectName.length);
const configuration = readFileSync(0);
for (let at = configuration.indexOf(connectName); at >= 0; at = configuration.indexOf(connectName, at))
  configuration.write(unknown, at);
writeFileSync(1, configuration);
