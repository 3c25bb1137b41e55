/** A specification with one example of each feature of an operation. */
export const createShopSpecification = (more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [
    { url: 'https://{region}.shop.test/v1/', variables: { region: { default: 'eu' } } },
    { url: 'http://localhost:4010', description: 'Mock' },
  ],
  security: [{ key: [] }],
  paths: {
    '/orders/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', minimum: 1 }, example: 7 }],
      put: {
        operationId: 'replaceOrder',
        summary: 'Replace an order',
        description: 'Sets **all** of it, as in [the guide](https://shop.test/guide).',
        parameters: [
          { name: 'dry', in: 'query', schema: { type: 'boolean', default: false }, description: 'Only looks.' },
          { name: 'X-Trace', in: 'header', deprecated: true, schema: { type: 'string', maxLength: 20 } },
          { name: 'session', in: 'cookie', schema: { type: 'string', format: 'uuid' } },
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
        },
        responses: {
          200: {
            description: 'Done',
            headers: { ETag: { schema: { type: 'string' }, description: 'Its tag.' } },
            content: { 'application/json': { examples: { small: { value: { id: 7, state: 'paid' } } } } },
          },
          404: { description: 'No such order' },
        },
      },
      delete: {
        operationId: 'dropOrder',
        summary: 'Drop an order',
        deprecated: true,
        security: [{}, { oauth: ['orders:write'], key: [] }],
        responses: { 204: { description: 'Gone' } },
        'x-codeSamples': [{ lang: 'Shell', label: 'CLI', source: 'shop drop 7' }],
      },
    },
  },
  webhooks: {
    paid: {
      post: {
        summary: 'An order is paid',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
        responses: { 200: { description: 'ok' } },
      },
    },
  },
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://shop.test/token', scopes: { 'orders:write': '' } } },
      },
    },
    schemas: {
      Order: {
        type: 'object',
        required: ['state'],
        properties: {
          id: { type: 'integer', readOnly: true },
          state: { type: 'string', enum: ['open', 'paid'], description: 'How far it is.' },
          buyer: { allOf: [{ $ref: '#/components/schemas/Person' }], description: 'Who buys.' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
          payment: { oneOf: [{ $ref: '#/components/schemas/Card' }, { type: 'string', title: 'Token' }] },
          notes: { type: ['string', 'null'] },
          labels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      Person: { type: 'object', properties: { name: { type: 'string', examples: ['Ann'] } } },
      Card: { type: 'object', title: 'A card', properties: { digits: { type: 'string', pattern: '^\\d{16}$' } } },
    },
  },
  ...more,
});
