import { isObject, ownOf, resolveLocal, textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { Constraints } from './constraints.tsx';
import type { OperationDrawing, ReferenceDrawing } from './drawn-reference.ts';
import { Parts } from './fields.tsx';
import { type MediaOfBody, mediaOf } from './media.ts';
import { Prose } from './prose.tsx';
import type { SampleDirection } from './sample-value.ts';
import { Section } from './section.tsx';
import { typeText } from './type-text.ts';

interface Props {
  from: ReferenceDrawing;
  media: MediaOfBody[];
  direction: SampleDirection;
  isRequired?: boolean;
}

/** What a body is, in each of its media types. Types of which the schema is the same stand together. */
export function Media({ from, media, direction, isRequired = false }: Props): ComponentChildren {
  const groups = Map.groupBy(media, (each) => JSON.stringify(ownOf(each.media, 'schema') ?? null));
  return [...groups.values()].map((group) => {
    const schema = from.schemas.read(group[0]?.media.schema);
    return (
      <div class="media">
        <p class="field-name">
          {group.map(({ type }) => (
            <code>{type}</code>
          ))}
          <span class="field-type">{typeText(from.schemas, schema)}</span>
          {isRequired && <span class="required">{from.texts.required}</span>}
        </p>
        <Prose text={textAt(schema.value, 'description')} from={from} />
        <Constraints value={schema.value} texts={from.texts} />
        <Parts from={from} schema={schema} direction={direction} level={0} />
      </div>
    );
  });
}

/** What is sent along. */
export function RequestBody({ from }: { from: OperationDrawing }): ComponentChildren {
  const body = resolveLocal(from.document, ownOf(from.part.operation, 'requestBody'));
  if (!isObject(body)) return null;
  return (
    <Section from={from} name="body" title={from.part.kind === 'webhook' ? from.texts.payload : from.texts.body}>
      <Prose text={textAt(body, 'description')} from={from} />
      <Media
        from={from}
        media={mediaOf(body)}
        direction="request"
        isRequired={ownOf(body, 'required') === true && from.part.kind === 'operation'}
      />
    </Section>
  );
}
