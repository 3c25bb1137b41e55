const responses = { 200: { description: 'Done' } };

const createOperation = (tag: string, name: string, more: object = {}) => ({
  ...{ tags: [tag], operationId: name, summary: `Take ${name}`, description: `Takes **${name}** along.`, responses },
  ...more,
});

const wide = Object.fromEntries(
  Array.from({ length: 1200 }, (_, index) => [`field${index}`, { type: 'string', description: 'A field of many.' }]),
);

/** The number of operations in the largest tag, and of webhooks and models. */
export const many = 130;

const numbers = Array.from({ length: many }, (_, index) => index + 1);

/** A specification with a tag of many operations and a nested tag, a small tag, and a tag of a few large operations. */
export const createFleet = (more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Fleet', version: '1' },
  servers: [{ url: 'https://fleet.test' }],
  tags: [
    { name: 'ships', description: 'All that floats.' },
    { name: 'ship2', parent: 'ships' },
    { name: 'crew' },
    { name: 'cargo' },
  ],
  paths: {
    ...Object.fromEntries(
      numbers.map((number) => [
        `/ships/${number}`,
        { get: createOperation('ships', `ship${number}`, { deprecated: number === 3 }) },
      ]),
    ),
    '/anchor': { get: createOperation('ship2', 'anchor') },
    '/crew': { get: createOperation('crew', 'listCrew'), post: createOperation('crew', 'hire') },
    '/cargo': {
      get: createOperation('cargo', 'listCargo'),
      put: createOperation('cargo', 'load', {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Wide' } } } },
      }),
    },
  },
  webhooks: Object.fromEntries(numbers.map((number) => [`arrival${number}`, { post: { responses } }])),
  components: {
    schemas: {
      Wide: { type: 'object', properties: wide },
      ...Object.fromEntries(numbers.map((number) => [`Model${number}`, { type: 'string' }])),
    },
  },
  ...more,
});
