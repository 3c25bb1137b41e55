import { slugAllocator, slugify } from '@octavo/markdown';
import { textAt } from '@octavo/specification';
import type { ComponentChildren } from 'preact';
import { Constraints } from './constraints.tsx';
import type { ReferenceDrawing } from './drawn-reference.ts';
import { Parts } from './fields.tsx';
import { Prose } from './prose.tsx';
import type { ModelsPart } from './read-parts.ts';
import { Title } from './section.tsx';
import { typeText } from './type-text.ts';

/** Models with what they hold. */
export function Models({ from, part: { models } }: { from: ReferenceDrawing; part: ModelsPart }): ComponentChildren {
  const isAlone = models.length === 1;
  const nameOf = slugAllocator();
  return models.map(({ name, schema }) => {
    const read = from.schemas.read(schema);
    return (
      <div class="model">
        {!isAlone && (
          <Title id={`${from.of.id}~${nameOf(slugify(name) || 'model')}`} level={from.level}>
            {name}
          </Title>
        )}
        <p class="field-name">
          {isAlone && from.of.title !== name && <code>{name}</code>}
          <span class="field-type">{typeText(from.schemas, { ...read, name: undefined })}</span>
        </p>
        <Prose text={textAt(read.value, 'description')} from={from} />
        <Constraints value={read.value} texts={from.texts} />
        <Parts from={from} schema={read} direction={undefined} level={0} />
      </div>
    );
  });
}
