import { isObject, ownOf, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { Constraints } from './constraints.tsx';
import type { ReferenceDrawing } from './drawn-reference.ts';
import { Prose } from './prose.tsx';
import type { SampleDirection } from './sample-value.ts';
import { type FieldOfSchema, fieldsOf, type SchemaAt } from './schema.ts';
import { typeText } from './type-text.ts';

const maxLevels = 8;
const maxNameLength = 200;

interface Inside {
  from: ReferenceDrawing;
  schema: SchemaAt;
  /** Who gives it; fields that only the other may give are left out. Of a model, all are there. */
  direction: SampleDirection | undefined;
  level: number;
}

/** A field of an object, or a parameter, under its name. */
export interface FieldProps extends Omit<Inside, 'level'> {
  name: string;
  isAnyName?: boolean;
  isRequired: boolean;
  isDeprecated?: boolean;
  /** What is said where it is used, which counts more than what its schema says. */
  description?: string | undefined;
  level?: number;
}

export function Field({
  from,
  name,
  schema,
  isAnyName,
  isRequired,
  level = 0,
  ...more
}: FieldProps): ComponentChildren {
  const { texts } = from;
  const { value } = schema;
  const isDeprecated = more.isDeprecated === true || ownOf(value, 'deprecated') === true;
  return (
    <li class="field">
      <p class="field-name">
        {isAnyName ? <em>{name === '*' ? texts.anyName : name}</em> : <code>{name.slice(0, maxNameLength)}</code>}
        <span class="field-type">{typeText(from.schemas, schema)}</span>
        {isRequired && <span class="required">{texts.required}</span>}
        {isDeprecated && <span class="tag">{texts.deprecated}</span>}
        {more.direction !== 'response' && ownOf(value, 'readOnly') === true && (
          <span class="tag">{texts.readOnly}</span>
        )}
        {more.direction !== 'request' && ownOf(value, 'writeOnly') === true && (
          <span class="tag">{texts.writeOnly}</span>
        )}
      </p>
      <Prose text={more.description ?? textAt(value, 'description')} from={from} />
      <Constraints value={value} texts={texts} />
      <Within from={from} schema={schema} direction={more.direction} level={level} />
    </li>
  );
}

/** What is inside of a field, which opens. */
function Within({ from, schema, direction, level }: Inside): ComponentChildren {
  const inner = from.schemas.withoutLists(schema);
  if (inner.isWithinItself || level >= maxLevels || !hasParts(from, inner)) return null;
  return (
    <details class="within">
      <summary>
        {from.texts.fields}
        {inner.name !== undefined && (
          <>
            {' '}
            <code>{inner.name}</code>
          </>
        )}
      </summary>
      <Parts from={from} schema={inner} direction={direction} level={level + 1} />
    </details>
  );
}

const hasParts = ({ schemas }: ReferenceDrawing, inner: SchemaAt): boolean => {
  const { variants } = schemas.variantsOf(inner);
  return fieldsOf(inner).length > 0 || variants.some((each) => fieldsOf(schemas.withoutLists(each)).length > 0);
};

/** The fields and the alternatives of a schema. */
export function Parts({ from, schema, direction, level }: Inside): ComponentChildren {
  const inner = from.schemas.withoutLists(schema);
  const { isOne, variants } = inner.isWithinItself ? { isOne: false, variants: [] } : from.schemas.variantsOf(inner);
  const hidden = direction === 'request' ? 'readOnly' : direction === 'response' ? 'writeOnly' : '';
  const isShown = ({ schema: each }: FieldOfSchema) => !isObject(each) || ownOf(each, hidden) !== true;
  const fields = inner.isWithinItself ? [] : fieldsOf(inner).filter(isShown);
  const kept = fields.filter(() => from.budget.take('rows'));
  return (
    <>
      {kept.length > 0 && (
        <ul class="fields">
          {kept.map(({ name, schema: each, isAnyName, isRequired }) => (
            <Field
              from={from}
              schema={from.schemas.read(each, inner.trail)}
              {...{ name, isAnyName, isRequired, direction, level }}
            />
          ))}
        </ul>
      )}
      {fields.length > kept.length && <p class="more">{`+${fields.length - kept.length}`}</p>}
      {variants.length > 0 && level < maxLevels && (
        <div class="variants">
          <p>{isOne ? from.texts.oneOf : from.texts.anyOf}</p>
          {variants
            .filter(() => from.budget.take('rows'))
            .map((each) => (
              <Variant from={from} schema={each} direction={direction} level={level + 1} />
            ))}
        </div>
      )}
    </>
  );
}

function Variant({ from, schema, direction, level }: Inside): ComponentChildren {
  const { value } = schema;
  const [title, type] = [textAt(value, 'title'), typeText(from.schemas, schema)];
  const inner = from.schemas.withoutLists(schema);
  const said = (
    <>
      {title !== undefined && title !== type && `${title} `}
      <code>{type}</code>
    </>
  );
  const rest = (
    <>
      <Prose text={textAt(value, 'description')} from={from} />
      <Constraints value={value} texts={from.texts} />
    </>
  );
  if (inner.isWithinItself || !hasParts(from, inner))
    return (
      <div class="variant">
        <p>{said}</p>
        {rest}
      </div>
    );
  return (
    <details class="within">
      <summary>{said}</summary>
      {rest}
      <Parts from={from} schema={inner} direction={direction} level={level} />
    </details>
  );
}
