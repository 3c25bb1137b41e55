import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPetstoreSpec, getText } from '../publishing/openapi/spec-client.ts';
import { json } from '../support/content.ts';
import { createCommandLine, findSpaceId, writeTree } from './octavo.ts';

const createOperation = (attributes: string) => `{% openapi-operation ${attributes} %}\n{% endopenapi-operation %}\n`;
const files = {
  'README.md': `---\ntitle: Home\n---\n\n{% hint style="inof" %}\nText\n{% endhint %}\n\n{% hint %}\nOpen\n`,
  'api.md': [
    '# API\n',
    createOperation('spec="pest" path="/pets" method="get"'),
    createOperation('spec="pets" path="/pet" method="get"'),
    createOperation('spec="pets" path="/pets" method="post"'),
    createOperation('spec="pets" path="/pets" method="get"'),
    '{% openapi src="nothing.yaml" path="/pets" method="get" %}\n[nothing](nothing.yaml)\n{% endopenapi %}\n',
    '{% openapi src="specs/lamp.json" path="/lamps" method="get" %}\n[lamp](specs/lamp.json)\n{% endopenapi %}\n',
    '{% openapi src="pets" path="/pets" method="get" %}\n[pets](README.md)\n{% endopenapi %}\n',
  ].join('\n'),
  'specs/lamp.json': JSON.stringify(createPetstoreSpec()),
  'links.md':
    '# Links\n\n[a](api.md) [b](none.md) [c](api.md#api) [d](README.md#nowhere) [e](/links) [f](specs/lamp.json)\n',
};

const warnings = [
  'warning: README.md:5: The hint style "inof" is unknown, so it is shown as info. Did you mean info?',
  'warning: README.md:9: {% hint %} is never closed, so it is shown as text. Add {% endhint %}.',
  'warning: api.md:3: The organization has no OpenAPI specification "pest", so nothing is shown. Did you mean pets?',
  'warning: api.md:6: pets has no operation GET /pet, so nothing is shown. Did you mean GET /pets?',
  'warning: api.md:9: pets has no operation POST /pets, so nothing is shown. It has GET /pets.',
  'warning: api.md:15: The source "nothing.yaml" is not a file of the import, so the block is shown as a link. ' +
    'Add the file, or publish it with octavo openapi publish and use its slug.',
  'warning: api.md:19: specs/lamp.json has no operation GET /lamps, so the block is shown as a link. Did you mean GET /pets?',
];
const formatBrokenLinks = (where: string) => [
  `3 broken links ${where}in the space:`,
  '  2: the file is not in the import',
  '    nothing.yaml in api.md',
  '    none.md in links.md',
  '  1: the page has no such heading or anchor',
  '    README.md#nowhere in links.md',
];

async function createSpecificationFolder() {
  const caller = await createCommandLine();
  const at = `/v1/orgs/${caller.organization}/openapi/pets`;
  await json(at, { token: caller.token, method: 'PUT', body: { source: getText(createPetstoreSpec()) } });
  await expect
    .poll(() => json<{ processingState: string }>(at, { token: caller.token }), { timeout: 10_000 })
    .toMatchObject({ processingState: 'complete' });
  return caller;
}

test('warns about unsupported blocks and broken links, equally in a dry run', async () => {
  const { octavo, organization, token } = await createSpecificationFolder();
  const folder = await writeTree(files);
  const listProblems = ({ stderr }: { stderr: string }) =>
    stderr.split('\n').filter((line) => line.startsWith('warning'));

  const dry = await octavo('publish', folder, '--site', 'Lamp', '--dry-run');
  const published = await octavo('publish', folder, '--site', 'Lamp');

  expect(listProblems(published)).toEqual(warnings);
  expect(listProblems(dry)).toEqual(warnings);
  expect(published.stdout).toContain(formatBrokenLinks('').join('\n'));
  expect(dry.stdout).toContain(formatBrokenLinks('would be ').join('\n'));
  const body = { operation: 'insert_page', title: 'Apart', document: { markdown: '[x](gone.md)' } };
  const space = findSpaceId(published.stdout);
  await json(`/v1/spaces/${space}/content`, { token, body: { changes: [body] } });
  await rm(path.join(folder, 'links.md'));
  const { stdout } = await octavo('publish', folder, '--site', 'Lamp', '--dry-run', '--organization', organization);
  expect(stdout).toContain('2 broken links would be in the space:');
  expect(stdout).toContain('gone.md in Apart');
});

test('renders legacy openapi and swagger blocks whose specification is a JSON file, a YAML file or a published slug', async () => {
  const { octavo } = await createSpecificationFolder();
  const yaml =
    'swagger: "2.0"\ninfo: {title: L, version: "1"}\npaths: {/lamps: {put: {summary: Light a lamp, responses: {}}}}\n';
  const folder = await writeTree({
    'README.md': '# Home\n',
    'api/old.md': [
      '# Old\n\nSome.\n',
      '{% openapi src="../specs/pets.json" path="/pets" method="GET" %}\n[pets.json](../specs/pets.json)\n{% endopenapi %}\n',
      '{% swagger src="../specs/lamp.yaml" path="/lamps" method="put" %}\n{% endswagger %}\n',
      '{% openapi src="pets" path="/pets" method="get" %}\n{% endopenapi %}\n',
      '{% openapi src="../specs/lamp.yaml" path="/none" method="get" %}\n{% endopenapi %}\n',
    ].join('\n'),
    'specs/pets.json': JSON.stringify(
      createPetstoreSpec({ paths: { '/pets': { get: { summary: 'From a file', responses: {} } } } }),
    ),
    'specs/lamp.yaml': yaml,
  });
  const { stdout, stderr } = await octavo('publish', folder, '--site', 'Old');
  const [, address = ''] = /^Published.*: (\S+)$/m.exec(stdout) ?? [];
  const html = await (await fetch(`${address}api/old`)).text();

  for (const title of ['From a file', 'Light a lamp', 'List all pets']) expect(html).toContain(title);
  expect(html.match(/class="reference"/g)).toHaveLength(3);
  expect(stderr).toContain('warning: api/old.md:15: ../specs/lamp.yaml has no operation GET /none, so the block is');
  expect(stdout).not.toContain('broken link');
});

test('a sync warns too, before and while it sends the changes', async () => {
  const { octavo } = await createSpecificationFolder();
  const space = findSpaceId(
    (await octavo('import', await writeTree({ 'README.md': '# Home\n' }), '--space', 'new')).stdout,
  );
  const folder = await writeTree({
    'README.md': '# Home\n',
    'api.md': `# API\n\n${createOperation('spec="pest" path="/" method="get"')}`,
  });
  const message = 'warning: api.md:3: The organization has no OpenAPI specification "pest"';

  for (const options of [['--dry-run'], ['--yes']])
    expect((await octavo('sync', folder, '--space', space, ...options)).stderr).toContain(message);
});
