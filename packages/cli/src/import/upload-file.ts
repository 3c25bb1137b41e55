import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, readAnswer } from '@octavo/client';
import type { Api } from '../api.ts';
import { Failure } from '../failure.ts';

const attempts = 6;
/** How often a server may ask to come again later, which it does while many send to it. */
const turnsAway = 100;
const firstWaitMs = 200;
const maxWaitMs = 60_000;

interface NamedFile {
  name: string;
  bytes: Uint8Array;
}

/** Uploads a file to an organization, and goes on after a break from where the server stands. Gives the key of the upload. */
export async function uploadFile(api: Api, organizationId: string, { name, bytes }: NamedFile): Promise<string> {
  const file = { name, type: 'application/octet-stream', size: bytes.length };
  const params = { organizationId };
  const { url, key } = await api.generateStorageUploadURL({ params, body: { file, kind: 'import_file' } });
  await sendBytes(url, bytes);
  return key;
}

/**
 * Uploads small files together, in one request: `maxBundleFiles` with `maxBundleBytes` at most. Gives the keys of the
 * uploads, in the order of the files.
 */
export async function uploadFiles(api: Api, organizationId: string, files: NamedFile[]): Promise<string[]> {
  const told = files.map(({ name, bytes }) => ({ name, type: 'application/octet-stream', size: bytes.length }));
  const params = { organizationId };
  const { url, keys = [] } = await api.generateStorageUploadURL({ params, body: { files: told, kind: 'import_file' } });
  const body = Buffer.concat(files.map(({ bytes }) => bytes));
  await sendAll(() => ask(url, { method: 'PUT', body }));
  return keys;
}

/** What came of one request: undefined where its connection broke off. */
type Outcome = Answer | undefined;

const sendBytes = (url: string, bytes: Uint8Array): Promise<void> =>
  sendAll(
    () => ask(url, { method: 'PUT', body: bytes }),
    () => goOn(url, bytes),
  );

/** Sends until the server has all, and again by `goOn` where that is another request. */
async function sendAll(begin: () => Promise<Outcome>, goOn = begin): Promise<void> {
  let outcome = await begin();
  let turnedAway = 0;
  for (let attempt = 1; !outcome?.response.ok; ) {
    if (outcome !== undefined && !mayPass(outcome)) readAnswer(outcome);
    if (attempt >= attempts || turnedAway >= turnsAway) throw unfinished(outcome);
    await sleep(waitAfter(outcome, attempt));
    if (isBusy(outcome)) turnedAway += 1;
    else attempt += 1;
    outcome = await goOn();
  }
}

/** Sends what the server has not, by what it tells of that. */
async function goOn(url: string, bytes: Uint8Array): Promise<Outcome> {
  const told = await ask(url, { method: 'HEAD' });
  if (!told?.response.ok) return told;
  const offset = Number(told.response.headers.get('upload-offset'));
  if (offset === bytes.length) return told;
  return ask(url, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/offset+octet-stream',
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
    },
    body: bytes.subarray(offset),
  });
}

async function ask(url: string, init: Omit<RequestInit, 'body'> & { body?: Uint8Array }): Promise<Outcome> {
  try {
    const response = await fetch(url, init as RequestInit);
    return { response, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** 409 says that the upload stands elsewhere than was thought, as after an answer that was lost. */
const mayPass = ({ response: { status } }: Answer): boolean => status === 409 || status === 429 || status >= 500;

const isBusy = (outcome: Outcome): boolean =>
  outcome !== undefined && [429, 503].includes(outcome.response.status) && outcome.response.headers.has('retry-after');

function waitAfter(outcome: Outcome, attempt: number): number {
  const seconds = Number(outcome?.response.headers.get('retry-after') ?? Number.NaN);
  return Math.min(seconds >= 0 ? seconds * 1000 : firstWaitMs * 2 ** (attempt - 1), maxWaitMs);
}

function unfinished(outcome: Outcome): Error {
  if (outcome === undefined) return new Failure(`The connection broke off ${attempts} times while a file was sent.`);
  try {
    readAnswer(outcome);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return new Failure('A file was not taken.');
}
