import { isObject, type JsonObject, ownOf, resolveLocal, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import type { OperationDrawing } from './drawn-reference.ts';
import { Field } from './fields.tsx';
import { mediaOf } from './media.ts';
import type { OperationPart } from './read-parts.ts';
import { listAt } from './schema.ts';
import { Section } from './section.tsx';

export const parameterPlaces = ['path', 'query', 'header', 'cookie'] as const;

export interface Parameter {
  place: (typeof parameterPlaces)[number];
  name: string;
  value: JsonObject;
  schema: unknown;
  isRequired: boolean;
}

const maxParameters = 500;
/** What these say is said by other parts of an operation. */
const elsewhere = new Set(['accept', 'content-type', 'authorization']);

/** The parameters of an operation with those of its path; one of the operation counts more. */
export function parametersOf(document: JsonObject, { item, operation }: OperationPart): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const given of [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')].slice(0, maxParameters)) {
    const value = resolveLocal(document, given);
    const name = isObject(value) ? textAt(value, 'name') : undefined;
    const place = isObject(value) ? parameterPlaces.find((each) => each === ownOf(value, 'in')) : undefined;
    if (!isObject(value) || name === undefined || place === undefined) continue;
    if (place === 'header' && elsewhere.has(name.toLowerCase())) continue;
    const schema = ownOf(value, 'schema') ?? mediaOf(value)[0]?.media.schema;
    const isRequired = place === 'path' || ownOf(value, 'required') === true;
    found.set(`${place} ${name}`, { place, name, value, schema, isRequired });
  }
  return [...found.values()];
}

/** The parameters of an operation, by where they stand. */
export function Parameters({ from }: { from: OperationDrawing }): ComponentChildren {
  const all = parametersOf(from.document, from.part);
  return parameterPlaces.map((place) => {
    const there = all.filter((each) => each.place === place && from.budget.take('rows'));
    if (there.length === 0) return null;
    return (
      <Section from={from} name={place} title={from.texts[place]}>
        <ul class="fields">
          {[...there.filter((each) => each.isRequired), ...there.filter((each) => !each.isRequired)].map(
            ({ name, value, schema, isRequired }) => (
              <Field
                from={from}
                name={name}
                schema={withExample(from, value, schema)}
                direction="request"
                isRequired={isRequired}
                isDeprecated={ownOf(value, 'deprecated') === true}
                description={textAt(value, 'description')}
              />
            ),
          )}
        </ul>
      </Section>
    );
  });
}

/** A parameter's own example counts more than that of its schema. */
function withExample({ schemas }: OperationDrawing, value: JsonObject, schema: unknown) {
  const read = schemas.read(schema);
  const example = ownOf(value, 'example');
  return example === undefined ? read : { ...read, value: { ...read.value, example } };
}
