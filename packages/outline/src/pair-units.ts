import type { Keys, RestyledItem, Unit } from './summary-units.ts';

/** The lines of the same things: of several, such as links, the one of the same title first. A part is also that of its first entry. */
export function pairUnits(items: RestyledItem[], units: Unit[], keys: Keys): Map<RestyledItem, Unit> {
  const pairs = new Map<RestyledItem, Unit>();
  const used = new Set<Unit>();
  const take = (item: RestyledItem, unit: Unit | undefined) => {
    if (unit === undefined) return;
    pairs.set(item, unit);
    used.add(unit);
  };
  const titled = (key: string, title: string | undefined) => `${key}\n${title}`;
  const byTitle = queues(units, (unit) => titled(unit.key, unit.item?.title));
  const byKey = queues(units, (unit) => unit.key);
  for (const item of items) take(item, nextOf(byTitle.get(titled(keys.of(item), item.title)), used));
  for (const item of items) if (!pairs.has(item)) take(item, nextOf(byKey.get(keys.of(item)), used));
  const groups = new Map(units.map((unit) => [unit.item, unit]));
  for (const item of items) {
    const [first] = item.items;
    const unit = item.type === 'group' && first && !pairs.has(item) ? groups.get(pairs.get(first)?.group) : undefined;
    if (unit?.item?.type === 'group' && !used.has(unit)) take(item, unit);
  }
  return pairs;
}

function queues(units: Unit[], keyOf: (unit: Unit) => string): Map<string, Unit[]> {
  const found = new Map<string, Unit[]>();
  for (const unit of units.toReversed()) {
    const queue = found.get(keyOf(unit)) ?? [];
    queue.push(unit);
    found.set(keyOf(unit), queue);
  }
  return found;
}

function nextOf(queue: Unit[] | undefined, used: ReadonlySet<Unit>): Unit | undefined {
  for (let unit = queue?.pop(); unit !== undefined; unit = queue?.pop()) if (!used.has(unit)) return unit;
  return undefined;
}
