import { hostileAddresses, hostileTexts } from './hostile-texts.ts';

const getHostileAddress = (index: number): string => hostileAddresses[index % hostileAddresses.length] ?? '';
const createExternalDocs = (text: string, index: number) => ({ description: text, url: getHostileAddress(index) });

/** Returns a schema with the text in every field that allows one. */
const getSchema = (text: string, index: number, more: object = {}): object => ({
  ...{ type: 'object', title: text, description: text, format: text, pattern: text, contentMediaType: text },
  ...{ enum: [text, { [text]: text }], default: text, const: text, example: text, examples: [text], required: [text] },
  ...{
    externalDocs: createExternalDocs(text, index),
    xml: { name: text, namespace: getHostileAddress(index) },
    'x-note': text,
  },
  discriminator: { propertyName: text, mapping: { [text]: text } },
  ...more,
});

const getWholeSchema = (text: string, index: number): object => {
  const inner = getSchema(text, index);
  return getSchema(text, index, {
    ...{ properties: { [text]: inner, type: { type: text } }, patternProperties: { [text]: inner } },
    ...{ additionalProperties: inner, oneOf: [inner, { title: text, type: 'string' }] },
  });
};

const getMedia = (text: string, index: number): object => ({
  schema: getWholeSchema(text, index),
  examples: {
    [text]: { summary: text, description: text, value: { [text]: text }, externalValue: getHostileAddress(index) },
    plain: { value: text },
  },
  encoding: { [text]: { contentType: text, headers: { [text]: { description: text } } } },
});

const getContent = (text: string, index: number) => ({
  'application/json': getMedia(text, index),
  'application/xml': { example: text },
  [text]: { schema: { title: text, type: text }, example: text },
});

const getResponse = (text: string, index: number) => ({
  description: text,
  headers: { [text]: { description: text, schema: getSchema(text, index) } },
  content: getContent(text, index),
  links: { [text]: { operationId: text, description: text, parameters: { [text]: text } } },
});

const getOperation = (text: string, index: number) => ({
  ...{ summary: text, description: text, operationId: text, tags: [text], deprecated: true },
  externalDocs: createExternalDocs(text, index),
  parameters: ['path', 'query', 'header', 'cookie'].map((place) => ({
    ...{ name: text, in: place, description: text, example: text },
    // The same code renders the schemas of all parameters, so one complete schema is enough.
    schema: place === 'query' ? getWholeSchema(text, index) : { title: text, description: text, default: text },
    examples: { [text]: { summary: text, value: text } },
  })),
  requestBody: { description: text, content: getContent(text, index) },
  responses: { 200: getResponse(text, index), [text]: getResponse(text, index + 1) },
  security: [{ [text]: [text] }, { [`flows ${index}`]: [text] }, { [`connect ${index}`]: [text] }],
  servers: [
    { url: 'https://api.example/v1', description: text },
    { url: getHostileAddress(index), description: text },
    { url: `https://api.example/${text}/{${text}}`, variables: { [text]: { default: text, enum: [text] } } },
  ],
  callbacks: { [text]: { [getHostileAddress(index)]: { post: { summary: text, responses: {} } } } },
  'x-codeSamples': index % 2 === 0 ? [] : [{ lang: text, label: text, source: text }],
  'x-badges': [{ name: text, color: text }],
});

const getSchemes = (text: string, index: number): [string, object][] => [
  [text, { type: 'apiKey', in: 'header', name: text, description: text }],
  [
    `flows ${index}`,
    {
      ...{ type: 'oauth2', description: text },
      flows: {
        [text]: {
          authorizationUrl: getHostileAddress(index),
          tokenUrl: getHostileAddress(index + 1),
          scopes: { [text]: text },
        },
        implicit: { authorizationUrl: getHostileAddress(index), scopes: { [text]: text } },
      },
    },
  ],
  [
    `connect ${index}`,
    { type: index % 2 ? text : 'openIdConnect', scheme: text, openIdConnectUrl: getHostileAddress(index) },
  ],
];

const perCrowd = 6;

/** Returns operations that each contain several texts, for tests that take seconds for each page. */
function createHostilePaths(): [string, { post: object }][] {
  const all = hostileTexts.map(getOperation);
  return Array.from({ length: Math.ceil(all.length / perCrowd) }, (_, crowd) => {
    const [from, to] = [crowd * perCrowd, (crowd + 1) * perCrowd];
    const post = {
      ...all[from],
      ...{ operationId: `crowd ${crowd}`, tags: ['crowds'], description: hostileTexts.slice(from, to).join('\n\n') },
      parameters: all.slice(from, to).flatMap(({ parameters }) => parameters),
      security: all.slice(from, to).flatMap(({ security }) => security),
    };
    return [`/crowd/${crowd}`, { post }];
  });
}

/** Paths of the operations that together contain all texts. */
export const listHostilePaths = (): string[] => createHostilePaths().map(([path]) => path);

/** Returns a specification with each hostile text in every possible field, on separate pages. */
export function createHostileSpecification(): object {
  const [title = ''] = hostileTexts;
  const each = <Value>(make: (text: string, index: number) => [string, Value]) =>
    Object.fromEntries(hostileTexts.map(make));
  return {
    openapi: '3.1.0',
    info: {
      ...{ title, summary: title, description: hostileTexts.join('\n\n'), version: title },
      ...{ termsOfService: getHostileAddress(0), contact: { name: title, url: getHostileAddress(1), email: title } },
      license: { name: title, identifier: title, url: getHostileAddress(2) },
    },
    externalDocs: createExternalDocs(title, 0),
    servers: hostileAddresses.map((url) => ({ url, description: title })),
    tags: hostileTexts.map((name, index) => ({
      ...{
        name,
        description: name,
        externalDocs: createExternalDocs(name, index),
        'x-displayName': name,
        'x-page-icon': name,
      },
    })),
    paths: {
      ...each((text, index) => [`/x${index}/{${text}}/${text}`, { post: getOperation(text, index) }]),
      ...Object.fromEntries(createHostilePaths()),
    },
    webhooks: Object.fromEntries(
      createHostilePaths().map(([, { post }], index) => [hostileTexts[index] ?? '', { post: { ...post, tags: [] } }]),
    ),
    components: {
      schemas: each((text, index) => [text, getWholeSchema(text, index)]),
      securitySchemes: Object.fromEntries(hostileTexts.flatMap(getSchemes)),
    },
  };
}
