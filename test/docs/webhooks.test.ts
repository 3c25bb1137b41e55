import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { receive } from '../integrations/webhooks/receiver.ts';
import { makeChangeRequest, merge } from '../support/content.ts';
import { pickFreePort } from '../support/free-port.ts';
import { platform } from '../support/platform.ts';
import { getBlocks, getPattern, readDocument } from './documents.ts';
import { openTerminal } from './terminal.ts';

const [make = '', sent = '', verify = '', inShell = '', listen = '', send = ''] = getBlocks(
  readDocument('docs/guides/webhooks.md'),
  ...['sh', 'json', 'js', 'sh', 'sh', 'sh'],
);

test('the steps of docs/guides/webhooks.md create a webhook, show its delivery, and verify its signature', async () => {
  const space = await platform().makeSpace();
  const terminal = await openTerminal(space);
  const receiver = await receive();
  const [createdWebhook = ''] = await terminal.run(make.replace('https://hooks.example.com/octavo', receiver.url));
  const { secret, ...webhook } = JSON.parse(createdWebhook) as { secret: string; events: string[] };
  expect(webhook.events).toEqual(['change_request.merged', 'comment.created']);

  const changeRequest = await makeChangeRequest(space);
  await merge(space, changeRequest.id);
  const [got] = await receiver.got('change_request.merged');
  if (got === undefined) throw new Error('Nothing came.');
  expect(got.body).toEqual(getPattern(sent));

  const file = path.join(terminal.folder, 'is-signed.mjs');
  await writeFile(file, verify);
  const { isSigned } = (await import(pathToFileURL(file).href)) as { isSigned: (...given: unknown[]) => boolean };
  const [, time = '', hex = ''] = /^t=(\d+),v1=(\w+)$/.exec(got.signature) ?? [];
  expect(isSigned(secret, got.signature, got.text)).toBe(true);
  expect(isSigned(secret, `${got.signature},v1=00`, got.text)).toBe(true);
  expect(isSigned('another', got.signature, got.text)).toBe(false);
  expect(isSigned(secret, got.signature, `${got.text} `)).toBe(false);
  expect(isSigned(secret, '', got.text)).toBe(false);
  expect(isSigned(secret, got.signature, got.text, Number(time) + 301)).toBe(false);

  await writeFile(path.join(terminal.folder, 'body'), got.text);
  expect(await terminal.run(`TIME=${time} SECRET=${secret}\n${inShell}`)).toEqual([hex]);
});

test('the steps of docs/guides/webhooks.md receive deliveries locally and test the webhook', async () => {
  const terminal = await openTerminal(await platform().makeSpace());
  const port = String(await pickFreePort());
  const replacePort = (script: string) => script.replaceAll('9000', port);
  const end = await terminal.start(replacePort(listen), 'Listening on ');

  const [delivered] = await terminal.run(replacePort(send));
  expect(delivered).toMatch(/^Delivered in \d+ ms, status 204$/);
  expect(await end()).toMatch(/^ping dlv_\w+ \{/m);
});
