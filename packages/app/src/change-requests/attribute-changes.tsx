import type { SemanticChange } from '@octavo/schema';
import type { VNode } from 'preact';
import { listAttributeChanges } from './changed-items.ts';

/** The changed fields of a page or file, with both values. */
export function AttributeChanges({ change }: { change: SemanticChange }): VNode | null {
  const entries = listAttributeChanges(change);
  if (entries.length === 0) return null;
  return (
    <dl class="attributes">
      {entries.map(({ name, before, after }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {before !== undefined && <del>{before}</del>} {after !== undefined && <ins>{after}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
