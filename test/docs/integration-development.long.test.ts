import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeDue } from '../content/computed/content-source.ts';
import { getClient } from '../content/space-client.ts';
import { writeDatabase } from '../support/database.ts';
import { until } from '../support/own-platform.ts';
import { platform } from '../support/platform.ts';
import { getBlocks, getPattern, readDocument } from './documents.ts';
import { listTypeErrors } from './script-faults.ts';
import { openTerminal } from './terminal.ts';

const server = platform();
const [begin = '', install = '', tail = '', develop = '', hello = '', weatherManifest = '', weather = '', bring = ''] =
  getBlocks(readDocument('docs/guides/write-an-integration.md'), ...['sh', 'sh', 'sh', 'sh', 'ts', 'yaml', 'ts', 'sh']);
const [computed = '', manifestBlock = ''] = getBlocks(
  readDocument('docs/explanation/integration-scripts.md'),
  'json',
  'json',
);

test('the steps of docs/guides/write-an-integration.md create an integration that receives events, locally and published', async () => {
  const terminal = await openTerminal(await server.makeSpace());
  const folder = path.join(terminal.above, 'hello');
  expect((await terminal.run(begin)).at(-1)).toBe(`You asked for ${server.url}/integrations/hello`);
  const [put = '', opened = ''] = await terminal.run(install);
  expect(JSON.parse(put)).toMatchObject({ status: 'active' });
  expect(JSON.parse(opened)).toMatchObject({ subject: 'A try' });
  await (await terminal.start(tail, 'opened A try'))();
  const ended = await (await terminal.start(develop, 'Built.'))();
  expect(ended).toContain('Events of hello are sent to the published version again.');

  // The documented script requires a key, which the manifest does not define yet.
  await writeFile(path.join(folder, 'index.ts'), hello);
  const waitForOutput = (text: string) =>
    until(
      async () => (await terminal.run(`${tail.trimEnd()} --once`)).some((line) => line.includes(text)) || undefined,
    );
  const publish = begin.split('\n').find((line) => line.includes(' publish '));
  const open = install.split('\n').find((line) => line.includes('change-requests'));
  await terminal.run(`${publish}\n${open}`);
  await waitForOutput('The script returned 409: There is no key.');
  const manifest = path.join(folder, 'integration.yaml');
  await writeFile(manifest, `${await readFile(manifest, 'utf8')}secrets: {KEY: abc}\n`);
  await terminal.run(`${publish}\n${open}`.replace('A try', 'Another'));
  await waitForOutput('opened Another');
});

test('the integration of docs/guides/write-an-integration.md and docs/explanation/integration-scripts.md renders a block and computes pages', async () => {
  const newSpace = await server.makeSpace();
  const terminal = await openTerminal(newSpace);
  const folder = path.join(terminal.above, 'weather');
  await mkdir(folder);
  await writeFile(path.join(folder, 'integration.yaml'), weatherManifest);
  await writeFile(path.join(folder, 'index.ts'), weather);
  const outputs = (await terminal.run(bring)).slice(1).map((line) => JSON.parse(line) as unknown);
  expect(outputs).toMatchObject([
    { status: 'active', configuration: {} },
    { status: 'active', space: newSpace.id },
    [{ name: 'weather', blocks: [{ id: 'station' }] }],
    { type: 'element', element: { type: 'block', children: [{ children: ['Fair at Brocken'] }] } },
  ]);

  const space = getClient(server, newSpace);
  await space.change([JSON.parse(computed.replaceAll('spc_...', newSpace.id)) as { operation: string }]);
  await until(async () => {
    await makeDue();
    return (await space.pages()).length === 2 || undefined;
  });
  expect(await space.callJson('/content/path/zugspitze?format=markdown')).toMatchObject({
    title: 'Zugspitze',
    markdown: 'It is fair at Zugspitze.\n',
  });

  const refusing = weather
    .replace('{ defineIntegration }', '{ defineIntegration, Refusal }')
    .replace(
      /revision: [\s\S]*?\n {6}\}\),\n/,
      "revision: () => { throw new Refusal('The stations do not answer.', 503); },\n",
    );
  await writeFile(path.join(folder, 'index.ts'), refusing);
  await terminal.run(bring.split('\n').find((line) => line.includes(' publish ')) ?? '');
  await until(async () => {
    await writeDatabase(
      server,
      'UPDATE computed_contents SET due_at = 1 WHERE space = ? AND failures < 2',
      newSpace.id,
    );
    await makeDue();
    const { items } = await space.callJson<{ items: { failures?: number }[] }>('/content/computed');
    return items[0]?.failures === 2 || undefined;
  });
  expect(await space.callJson('/content/computed')).toMatchObject({ items: [getPattern(manifestBlock)] });
});

test("the scripts of docs/guides/write-an-integration.md match the library's types", () => {
  expect(listTypeErrors([hello, weather])).toEqual([]);
});
