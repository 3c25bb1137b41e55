import { beforeAll, expect, test } from 'vitest';
import { getElements, getText, parse } from '../html-tree.ts';
import { createReferenceSite, findTexts, getWithClass } from './reference-site.ts';
import { createShopSpecification } from './shop.ts';

type Site = Awaited<ReturnType<typeof createReferenceSite>>;

let site: Site;
let replace: string;
let drop: string;
beforeAll(async () => {
  site = await createReferenceSite(createShopSpecification());
  replace = (await site.read('replaceorder')).html;
  drop = (await site.read('droporder')).html;
});

const findSamples = (html: string): Record<string, string> =>
  Object.fromEntries(
    getWithClass(html, 'samples')
      .flatMap(getElements)
      .filter(({ tagName }) => tagName === 'section')
      .map((section) => {
        const code = getElements(section).find(({ tagName }) => tagName === 'code');
        return [String(section.properties.dataTitle), code === undefined ? '' : getText(code).trim()];
      }),
  );

test('an operation has a method, a full URL, a description, and sections that are in the outline', () => {
  expect(findTexts(replace, 'endpoint')).toEqual(['puthttps://eu.shop.test/v1/orders/{id}']);
  expect(replace).toContain('Sets <strong>all</strong> of it, as in <a href="https://shop.test/guide">the guide</a>.');
  const parts = ['authentication', 'path', 'query', 'header', 'cookie', 'body', 'responses'];
  const ids = getElements(parse(replace)).map(({ properties }) => properties.id);
  expect(ids).toEqual(expect.arrayContaining(parts.map((part) => `replaceorder~${part}`)));
  const [outline] = getWithClass(replace, 'outline').flatMap(getElements);
  expect(outline && getElements(outline).flatMap(({ properties: { href } }) => href ?? [])).toEqual(
    parts.map((part) => `#replaceorder~${part}`),
  );
  expect(replace.match(/<h1/g)).toHaveLength(1);
});

test('fields show their type, allowed values and whether they are required; nested fields can be expanded', () => {
  const fields = findTexts(replace, 'field');

  expect(fields).toEqual(
    expect.arrayContaining([
      'idintegerrequiredExample 7 Range ≥ 1',
      'drybooleanOnly looks.Default false',
      'X-TracestringdeprecatedLength ≤ 20',
      'sessionstring<uuid>',
      'statestringrequiredHow far it is.One of open paid',
      'notesstring | null',
      'any other namestring',
      'digitsstringPattern ^\\d{16}$',
    ]),
  );
  const summaries = getElements(parse(replace))
    .filter(({ tagName }) => tagName === 'summary')
    .map(getText);
  expect(summaries).toEqual(expect.arrayContaining(['Fields Person', 'A card Card']));
});

test('shows a recursive schema by its name, and omits read-only fields from a request', () => {
  const names = getWithClass(replace, 'reference-part')
    .filter((part) => getElements(part).some(({ properties }) => properties.id === 'replaceorder~body'))
    .flatMap((part) => getElements(part).filter(({ properties }) => String(properties.className) === 'field-name'))
    .map(getText);

  expect(names).toContain('partsOrder[]');
  expect(names).not.toContain('idinteger');
});

test('describes authentication in words, each alternative separately', () => {
  expect(replace).toContain('API key in the header <code>X-Key</code>');
  expect(findTexts(drop, 'way')).toEqual([
    'No authentication',
    expect.stringMatching(/^orOAuth 2\.0.*clientCredentials https:\/\/shop\.test\/token.*orders:write.*X-Key$/),
  ]);
  expect(drop).toContain('Deprecated. It may be removed');
});

test('has code samples in four languages, unless the specification contains samples', () => {
  const samples = findSamples(replace);

  expect(Object.keys(samples)).toEqual(['cURL', 'JavaScript', 'Python', 'Go', '200 · small']);
  expect(samples.cURL).toContain('https://eu.shop.test/v1/orders/7');
  expect(samples.cURL).toContain("--header 'X-Key: YOUR_API_KEY'");
  expect(samples.JavaScript).toContain("state: 'open'");
  expect(samples.Python).toMatch(/^import requests\n\nrequests\.put\("https:\/\/eu\.shop\.test/);
  expect(samples.Go).toContain('http.NewRequest("PUT", requestUrl, payload)');
  expect(samples['200 · small']).toBe('{\n  "id": 7,\n  "state": "paid"\n}');
  expect(findSamples(drop)).toEqual({ CLI: 'shop drop 7' });
});

test('lists responses by status, with their headers', () => {
  expect(findTexts(replace, 'status')).toEqual(['200', '404']);
  expect(findTexts(replace, 'field')).toContain('ETagstringIts tag.');
});

test('shows the payload of a webhook, and the fields of a model', async () => {
  const [webhooks, models] = [await site.read('webhooks'), await site.read('models')];

  expect(findTexts(webhooks.html, 'endpoint')).toEqual(['postpaid']);
  expect(Object.keys(findSamples(webhooks.html))).toEqual(['application/json']);
  expect(webhooks.html).toContain('Payload');
  expect(findTexts(models.html, 'model')).toHaveLength(3);
  expect(models.html).toContain('<h2 id="order">Order');
});

test('a block on a written page shows its operation or models, or nothing if they are missing', async () => {
  const createOperationBlock = (spec: string, path: string) =>
    `{% openapi-operation spec="${spec}" path="${path}" method="delete" %}\n{% endopenapi-operation %}`;
  const schemas = '{% openapi-schemas spec="api" schemas="Card,Nothing" %}\n{% endopenapi-schemas %}';
  await site.write('Written', `Words.\n\n${createOperationBlock('api', '/orders/{id}')}\n\n${schemas}\n`);
  await site.write(
    'Empty',
    `Words.\n\n${createOperationBlock('api', '/none')}\n\n${createOperationBlock('other', '/orders/{id}')}\n`,
  );
  const [written, empty] = [await site.read('written'), await site.read('empty')];

  expect(written.html).toContain('<h2 id="drop-an-order">Drop an order');
  expect(findTexts(written.html, 'model')).toEqual([expect.stringContaining('digitsstring')]);
  expect([empty.status, findTexts(empty.html, 'reference')]).toEqual([200, []]);
});

test('a new version is visible in the next request, and a specification adds at most three round trips to a page', async () => {
  const other = await createReferenceSite(createShopSpecification());
  await other.write('Plain', 'Words.\n');
  await other.read('models');
  const before = await other.read('droporder');
  expect(findTexts(before.html, 'endpoint')[0]).toContain('delete');
  const plain = await other.read('plain');
  // One more round trip is allowed: if the database has changed, the first of these reads also reads the site.
  expect(before.trips - plain.trips).toBeLessThanOrEqual(3 + 1);

  await other.publish('api', createShopSpecification({ servers: [{ url: 'https://new.shop.test' }] }));

  expect(findTexts((await other.read('droporder')).html, 'endpoint')[0]).toContain('https://new.shop.test/orders');
});

test('the markdown of a page is the same as in the API', async () => {
  const { html, headers } = await site.read('replaceorder.md');

  expect(headers.get('content-type')).toContain('text/markdown');
  expect(html).toContain('{% openapi-operation');
});
