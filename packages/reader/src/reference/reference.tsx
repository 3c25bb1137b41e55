import type { NodeComponent } from '../drawing.ts';
import { Budget } from './budget.ts';
import { ListedPart } from './listed-part.tsx';
import { Models } from './models.tsx';
import { Operation } from './operation.tsx';
import { Title } from './section.tsx';
import { referenceTextsOf } from './texts/index.ts';

/** A block that shows parts of a specification; nothing where the visitor is shown none. */
export const Reference: NodeComponent = ({ node, at }) => {
  const { blocks, schemas } = at.references;
  const of = blocks.get(node);
  if (of === undefined) return null;
  const { page } = at.view;
  const place = page.places?.get(node);
  if (place !== undefined) return <ListedPart at={at} of={of} to={place} />;
  const isTitled = of.title !== '' && (blocks.size > 1 || of.title !== page.title);
  const level = isTitled ? 3 : 2;
  const { document, part } = of;
  const budget = new Budget(blocks.size);
  const from = { at, of, document, schemas: schemas(document), budget, texts: referenceTextsOf(at.locale), level };
  return (
    <section class="reference" {...(isTitled ? {} : { id: of.id })}>
      {isTitled && (
        <Title id={of.id} level={2}>
          {of.title}
        </Title>
      )}
      {part.kind === 'models' ? <Models from={from} part={part} /> : <Operation from={{ ...from, part }} />}
    </section>
  );
};
