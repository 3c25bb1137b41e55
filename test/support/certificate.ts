import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, sign } from 'node:crypto';

/** A key and its self-signed certificate, both as PEM. */
export interface Identity {
  privateKey: string;
  certificate: string;
}

const encodeDer = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length.toString(16);
  const bytes = Buffer.from(size.padStart(size.length + (size.length % 2), '0'), 'hex');
  return Buffer.concat([
    Buffer.from(body.length < 128 ? [tag, body.length] : [tag, 0x80 + bytes.length, ...bytes]),
    body,
  ]);
};

const encodeSequence = (...parts: Buffer[]) => encodeDer(0x30, ...parts);
const algorithm = encodeSequence(encodeDer(0x06, Buffer.from('2a864886f70d01010b', 'hex')), encodeDer(0x05));
const encodeTime = (text: string) => encodeDer(0x17, Buffer.from(text));
const encodeCommonName = (name: string) =>
  encodeSequence(
    encodeDer(0x31, encodeSequence(encodeDer(0x06, Buffer.from('550403', 'hex')), encodeDer(0x0c, Buffer.from(name)))),
  );

const encodePem = (body: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${body
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')}\n-----END CERTIFICATE-----\n`;

/** Issues a certificate for a public key, signed by an RSA key. */
export function createCertificate(publicKey: KeyObject, signer: KeyObject): string {
  const name = encodeCommonName('A test');
  const content = encodeSequence(
    encodeDer(0x02, Buffer.from([1])),
    algorithm,
    name,
    encodeSequence(encodeTime('250101000000Z'), encodeTime('450101000000Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, signer);
  return encodePem(encodeSequence(content, algorithm, encodeDer(0x03, Buffer.from([0]), signature)));
}

export function makeIdentity(bits = 2048): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: createCertificate(publicKey, privateKey),
  };
}
