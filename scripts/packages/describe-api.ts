import { contracts, type Endpoint } from '@octavo/schema';
import { documentation } from '@octavo/schema/documentation';
import { openApiDocument, toDocumentPath } from '../../workers/gateway/src/openapi.ts';
import { type Schema, toComment, toDeclaration, toKey, toType } from './schema-types.ts';

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  parameters?: { name: string; in: string; required?: boolean; schema: Schema; description?: string }[];
  requestBody?: { required?: boolean; content: { 'application/json': { schema: Schema } } };
  responses: Record<string, { content?: { 'application/json': { schema: Schema } } }>;
}

const endpoints: [string, Endpoint][] = Object.values(contracts).flatMap((contract) => Object.entries(contract));

/** Returns the method and path of each operation: the part of the contract that the client needs to run. */
export const listRequests = (): Record<string, Pick<Endpoint, 'method' | 'path'>> =>
  Object.fromEntries(endpoints.map(([id, { method, path }]) => [id, { method, path }]));

/** Returns the declarations of the API's schemas and of a client with a method for each operation. */
export function declareApi(version: string): string {
  const document = openApiDocument(contracts, { url: 'https://octavo.example.com', version, documentation });
  const { components, paths } = JSON.parse(JSON.stringify(document)) as {
    components: { schemas: Record<string, Schema> };
    paths: Record<string, Record<string, Operation>>;
  };
  const { Error: errorBody, ...schemas } = components.schemas;
  const declarations = Object.entries({ ...schemas, ErrorBody: errorBody ?? {} }).map(([name, schema]) =>
    toDeclaration(name, schema),
  );
  const methods = endpoints.flatMap(([, { method, path }]) => {
    const operation = paths[toDocumentPath(path)]?.[method.toLowerCase()];
    return operation === undefined ? [] : [declareMethod(operation)];
  });
  const about = toComment({ description: 'A client with one method for each operation of the API.' }, '');
  return [...declarations, `${about}export interface Api {\n${methods.join('\n')}\n}\n`].join('\n');
}

function declareMethod(operation: Operation): string {
  const { operationId, summary, description, deprecated, responses } = operation;
  const texts = [`${summary}.`, ...(description === undefined ? [] : [description])];
  const result = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const response = result?.content?.['application/json'].schema;
  const returned = response === undefined ? 'undefined' : toType(response, '  ');
  const comment = toComment({ description: texts.join('\n\n'), ...(deprecated && { deprecated }) }, '  ');
  return `${comment}  ${operationId}(${declareInput(operation)}): Promise<${returned}>;`;
}

function declareInput({ parameters = [], requestBody }: Operation): string {
  const parts = [
    declareParameters('params', parameters, 'path'),
    declareParameters('query', parameters, 'query'),
    ...(requestBody === undefined
      ? []
      : [
          {
            isRequired: requestBody.required === true,
            name: 'body',
            type: toType(requestBody.content['application/json'].schema, '    '),
          },
        ]),
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return '';
  const lines = parts.map(({ name, isRequired, type }) => `    ${name}${isRequired ? '' : '?'}: ${type};\n`);
  return `input${parts.some(({ isRequired }) => isRequired) ? '' : '?'}: {\n${lines.join('')}  }`;
}

function declareParameters(name: string, parameters: NonNullable<Operation['parameters']>, place: string) {
  const some = parameters.filter((parameter) => parameter.in === place);
  if (some.length === 0) return undefined;
  const lines = some.map(({ name: key, required, schema, description }) => {
    const comment = toComment(description === undefined ? {} : { description }, '      ');
    // The client omits undefined parameters.
    const type = `${toType(schema, '      ')}${required ? '' : ' | undefined'}`;
    return `${comment}      ${toKey(key)}${required ? '' : '?'}: ${type};\n`;
  });
  return { name, isRequired: some.some(({ required }) => required), type: `{\n${lines.join('')}    }` };
}
