import path from 'node:path';
import { expect, test } from 'vitest';
import { createCommandLine, octavo, writeTree } from './octavo.ts';

const manifest = `name: sample
title: Sample
script: index.ts
scopes: []
`;
const script = 'export default { fetch: () => new Response(null, { status: 406 }) };\n';

/** Publishes a folder with these files and returns the output. */
async function publish(files: Record<string, string>, env: Record<string, string> = {}, ...options: string[]) {
  const folder = await writeTree(files);
  const { env: server } = await createCommandLine();
  const { code, stderr, stdout } = await octavo({ ...server, ...env }, 'integration', 'publish', folder, ...options);
  return { code, stdout, told: stderr.replaceAll(`${folder}${path.sep}`, '') };
}

test('reports a folder without a manifest, and a missing one', async () => {
  expect(await publish({ 'README.md': 'x' })).toMatchObject({
    code: 1,
    told: expect.stringMatching(
      /^octavo: .* contains no manifest integration\.yaml\. Run octavo integration init to create one\.\n$/,
    ),
  });
});

test('suggests the most similar event type', async () => {
  const events = ['change_request.merge', 'comments.created', 'something'];
  const text = `${manifest}events:\n${events.map((event) => `  - ${event}\n`).join('')}  - 3\n`;

  expect((await publish({ 'integration.yaml': text, 'index.ts': script })).told.split('\n')).toEqual([
    'octavo: integration.yaml, line 6, column 5: `events.0` is not an event type: did you mean change_request.merged?.',
    'integration.yaml, line 7, column 5: `events.1` is not an event type: did you mean comment.created?.',
    'integration.yaml, line 8, column 5: `events.2` is not an event type.',
    'integration.yaml, line 9, column 5: `events.3` is not an event type.',
    '',
  ]);
});

test('reports all errors at once with line and field', async () => {
  const text = `name: sample
title: S
script: index.ts
scopes:
  - space:content:read
  - space:everything
configurations:
  account:
    properties:
      size:
        type: integer
scops: []
`;
  const { code, told } = await publish({ 'integration.yaml': text, 'index.ts': script });

  expect(code).toBe(1);
  expect(told.split('\n')).toEqual([
    expect.stringMatching(/^octavo: integration\.yaml, line 2, column 8: `title` /),
    expect.stringMatching(/^integration\.yaml, line 6, column 5: `scopes\.1` /),
    expect.stringMatching(/^integration\.yaml, line 11, column 15: `configurations\.account\.properties\.size\.type` /),
    expect.stringMatching(/^integration\.yaml, line 12, column 8: `scops` is not a known field\.$/),
    '',
  ]);
});

const nested = `${manifest}blocks:
  - id: box
    title: Box
    titel: Box
configurations:
  account:
    properties:
      key: { type: string }
    componentId: ask
envs:
  staging: { organisation: org }
`;
const nestedFaults = [
  [13, 'configurations.account.componentId'],
  [8, 'blocks.0.titel'],
  [15, 'envs.staging.organisation'],
] as const;

test('reports unknown fields at any depth, but ignores fields of the GitBook platform', async () => {
  const own = await publish({ 'integration.yaml': nested, 'index.ts': script });
  const foreign = await publish(
    { 'gitbook-manifest.yaml': `${nested}more: 1\n`, 'index.ts': script },
    {},
    '--env',
    'x',
  );

  expect(own.code).toBe(1);
  for (const [line, field] of nestedFaults)
    for (const { told } of [own, foreign])
      expect(told).toMatch(
        new RegExp(`(?:manifest|integration)\\.yaml, line ${line}, column \\d+: \`${field}\` is not a known`),
      );
  expect(foreign.told.match(/ It is ignored\.$/gm)).toHaveLength(nestedFaults.length + 1);
  expect(foreign.told).toContain('has no environment "x" in envs');
});

test.each(['integration.yaml', 'gitbook-manifest.yaml'])(
  'rejects a property with a misspelled `secret` in %s, because its value would be visible to everyone',
  async (name) => {
    const text = `${manifest}configurations: { account: { properties: { key: { type: string, secrte: true } } } }\n`;
    expect(await publish({ [name]: text, 'index.ts': script })).toMatchObject({
      code: 1,
      told: expect.stringMatching(
        / line 5, column \d+: `configurations\.account\.properties\.key\.secrte` is not a known/,
      ),
    });
  },
);

test('reports a missing field at its parent, and an empty manifest', async () => {
  expect(await publish({ 'integration.yaml': 'name: sample\ntitle: Sample\n' })).toMatchObject({
    told: expect.stringMatching(/^octavo: integration\.yaml, line 1, column 1: `script` /),
  });
  expect(await publish({ 'integration.yaml': '' })).toMatchObject({
    code: 1,
    told: expect.stringMatching(/^octavo: integration\.yaml, line 1, column 1: The manifest must /),
  });
});

test('reports invalid YAML with the line of the error', async () => {
  expect(await publish({ 'integration.yaml': `${manifest}blocks: [\n` })).toMatchObject({
    code: 1,
    told: expect.stringMatching(/^octavo: integration\.yaml, line \d, column \d: .+\.\n$/),
  });
});

test('reads secrets from the environment only', async () => {
  const requestClaim = (expression: string) => ({
    'integration.yaml': `${manifest}secrets: { KEY: 'a-\${{ ${expression} }}' }\n`,
    'index.ts': script,
  });

  expect(await publish(requestClaim('env.NOT_SET'))).toMatchObject({
    code: 1,
    told: 'octavo: The secret KEY needs the environment variable NOT_SET, which is not set.\n',
  });
  expect(await publish(requestClaim('op://vault/item'), { NOT_SET: 'x' })).toMatchObject({
    code: 1,
    told: expect.stringContaining('The secret KEY contains "op://vault/item"'),
  });
});

test('reports a script that cannot be built with file, line and column', async () => {
  const files = { 'integration.yaml': manifest, 'index.ts': "import './none.ts';\n\nexport default ;\n" };

  expect(await publish(files)).toMatchObject({
    code: 1,
    told: expect.stringMatching(/^octavo: The script could not be built\.\nindex\.ts:\d+:\d+: /),
  });
  expect(await publish({ 'integration.yaml': manifest })).toMatchObject({
    code: 1,
    told: expect.stringContaining('index.ts'),
  });
});

test('reports a missing image and a missing section of the manifest', async () => {
  const files = { 'integration.yaml': `${manifest}icon: none.png\n`, 'index.ts': script };

  expect(await publish(files)).toMatchObject({ code: 1, told: expect.stringMatching(/The image none\.png could not/) });
  expect(await publish(files, {}, '--env', 'staging')).toMatchObject({
    code: 1,
    told: expect.stringContaining('has no environment "staging" in envs'),
  });
});

test('reports a manifest whose aliases expand too much', async () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `x${level + 1}: &x${level + 1} [${Array(9).fill(`*x${level}`).join(', ')}]`,
  );
  const bomb = `${manifest}x0: &x0 [a]\n${levels.join('\n')}\n`;
  expect(await publish({ 'integration.yaml': bomb, 'index.ts': script })).toMatchObject({
    code: 1,
    told: expect.stringMatching(/^octavo: The manifest integration\.yaml could not be read: .*alias.*\.\n$/),
  });
});
