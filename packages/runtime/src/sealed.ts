import { deriveBytes, deriveText, type Secrets } from './visitor-token.ts';

const version = 's1';
const keyIdLength = 8;
const ivLength = 12;
const encoder = new TextEncoder();

/**
 * Encrypts a value of JSON for the one who owns it, such as an installation, by its id. Only the same owner's `unseal`
 * opens it again. The text begins with what tells the server's secret that it was sealed by.
 */
export async function seal(env: Secrets, owner: string, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivLength));
  const plain = encoder.encode(JSON.stringify(value));
  const cipher = await crypto.subtle.encrypt(algorithmFor(owner, iv), await keyOf(env, owner), plain);
  return `${await sealedBy(env)}${toText(new Uint8Array([...iv, ...new Uint8Array(cipher)]))}`;
}

/**
 * The value that was sealed for this owner, by the server's secret or by the one before it.
 * @throws Error where neither opens it
 */
export async function unseal(env: Secrets, owner: string, text: string): Promise<unknown> {
  const by = await secretOf(env, text);
  const bytes = toBytes(text.slice(text.lastIndexOf('.') + 1));
  const [iv, cipher] = [bytes.subarray(0, ivLength), bytes.subarray(ivLength)];
  const key = await keyOf(by, owner);
  const plain = await crypto.subtle.decrypt(algorithmFor(owner, iv), key, cipher).catch((cause: unknown) => {
    throw new Error(`What was sealed for ${owner} was changed since, or is another's.`, { cause });
  });
  return JSON.parse(new TextDecoder().decode(plain)) as unknown;
}

/** How every text begins that is sealed by the server's secret of today: what begins otherwise is to be sealed anew. */
export const sealedBy = async (env: Secrets): Promise<string> => `${version}.${await keyIdOf(env)}.`;

/** The server's secret that a text was sealed by, told by the text. */
async function secretOf(env: Secrets, text: string): Promise<Secrets> {
  const { OCTAVO_SECRET_PREVIOUS: previous } = env;
  const known: Secrets[] = previous === undefined ? [env] : [env, { OCTAVO_SECRET: previous }];
  for (const secrets of known) if (text.startsWith(await sealedBy(secrets))) return secrets;
  throw new Error(
    'What was sealed was sealed by another secret than OCTAVO_SECRET: set OCTAVO_SECRET_PREVIOUS to the one before it.',
  );
}

const keyIdOf = async (env: Secrets): Promise<string> =>
  (await deriveText(env, 'the name of this secret')).slice(0, keyIdLength);

/** A key of the owner's alone. */
const keyOf = async (env: Secrets, owner: string) =>
  crypto.subtle.importKey('raw', new Uint8Array(await deriveBytes(env, `sealed for\n${owner}`)), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);

const algorithmFor = (owner: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(owner),
});

/** In pieces, for what is sealed may be longer than a call takes arguments. */
function toText(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
