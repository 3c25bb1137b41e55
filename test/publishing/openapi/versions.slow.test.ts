import { beforeAll, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type SpecClient, type Version } from './spec-client.ts';

let specs: SpecClient;
beforeAll(async () => {
  specs = getSpecs(platform(), await platform().makeOrganization());
});

test('returns no version before the first one is processed', async () => {
  await specs.publish('broken', { text: 'openapi: [' });
  const paths = ['', '/content', '/content/raw'].map((path) => `/broken/versions/latest${path}`);

  expect(await Promise.all(paths.map(async (path) => (await specs.call(path)).status))).toEqual([404, 404, 404]);
  expect(await specs.callJson('/broken/versions')).toEqual({ count: 0, items: [] });
});

test('returns a version by ID and as the latest', async () => {
  const spec = await specs.publish('read', getText(createPetstoreSpec()));

  const latest = await specs.callJson<Version>('/read/versions/latest');

  const location = `${platform().url}${specs.base}/read/versions/${spec.lastVersion}`;
  expect(latest).toMatchObject({ object: 'openapi-spec-version', id: spec.lastVersion, urls: { location } });
  expect(await specs.callJson(`/read/versions/${spec.lastVersion}`)).toEqual(latest);
  expect(await specs.callJson(`/read/versions/${spec.lastVersion}/content`)).toEqual(await specs.content('read'));
});

test('returns 304 to a client that already has the version, until its URLs change', async () => {
  await specs.publish('held', getText(createPetstoreSpec()));
  const read = (path: string, tag = '') =>
    specs.send(`/held/versions/latest/${path}`, { headers: tag === '' ? {} : { 'if-none-match': tag } });
  for (const path of ['content', 'content/raw']) {
    const first = await read(path);
    const response = await read(path, first.headers.get('etag') ?? '');
    expect([first.status, response.status, await response.text()]).toEqual([200, 304, '']);
  }
  const tag = (await read('content')).headers.get('etag') ?? '';

  await specs.callJson('/held', { method: 'PATCH', body: { visibility: 'public' } });

  expect((await read('content', tag)).status).toBe(200);
});

test('returns the content of a version as one file with the unchanged document', async () => {
  await specs.publish('content', getText(createPetstoreSpec()));

  const { filesystem, urls, url } = await specs.content('content');

  expect(filesystem).toEqual([
    { isEntrypoint: true, specification: createPetstoreSpec(), filename: 'openapi.json', dir: './', references: [] },
  ]);
  expect(urls.source).toBe(url);
});

test('returns the raw content of a version as the exact text, including YAML comments', async () => {
  const text = '# \u{1F436} "Pets"\nopenapi: 3.0.3\ninfo: {title: "P\\tets\\\\", version: "1"}\npaths: {}\n';
  await specs.publish('raw', { text });

  expect(await specs.callJson('/raw/versions/latest/content/raw')).toEqual({ text, format: 'yaml' });
  expect((await specs.content('raw')).filesystem[0]?.specification).toEqual({
    openapi: '3.0.3',
    info: { title: 'P\tets\\', version: '1' },
    paths: {},
  });
});

test('stores a text in chunks and returns it unchanged, wherever it is split', async () => {
  const long = Array.from({ length: 200_000 }, (_, index) => `é\u{1F436}${index}`).join('');
  const document = createPetstoreSpec({ info: { title: 'Long', version: '1', description: long } });
  await specs.publish('long', getText(document));

  expect(await specs.callJson('/long/versions/latest/content/raw')).toEqual({
    text: JSON.stringify(document),
    format: 'json',
  });
  expect((await specs.content('long')).filesystem[0]?.specification).toEqual(document);
});

test('keeps the newest twenty versions', async () => {
  for (let index = 0; index < 22; index += 1)
    await specs.publish('many', getText(createPetstoreSpec({ info: { title: `${index}`, version: '1' } })));

  const versions = await specs.versions('many');

  expect(versions).toHaveLength(20);
  const titles = await Promise.all(
    [versions[0], versions[19]].map(async (version) => {
      const content = await specs.callJson<{ filesystem: { specification: { info: { title: string } } }[] }>(
        `/many/versions/${version?.id}/content`,
      );
      return content.filesystem[0]?.specification.info.title;
    }),
  );
  expect(titles).toEqual(['21', '2']);
});

test('returns 404 for versions of another specification', async () => {
  const { lastVersion } = await specs.publish('mine', getText(createPetstoreSpec()));
  const stranger = getSpecs(platform(), await platform().makeOrganization());
  await stranger.publish('mine', getText(createPetstoreSpec()));

  expect((await specs.call(`/read/versions/${lastVersion}`)).status).toBe(404);
  expect((await stranger.call(`/mine/versions/${lastVersion}`)).status).toBe(404);
  expect((await stranger.call(`/mine/versions/${lastVersion}/content`)).status).toBe(404);
});
