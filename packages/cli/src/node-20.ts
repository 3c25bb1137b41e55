/** Adds functions of later versions to Node.js 20. Only the package contains this file. */

Map.groupBy ??= <Key, Item>(items: Iterable<Item>, getKey: (item: Item, index: number) => Key): Map<Key, Item[]> => {
  const groups = new Map<Key, Item[]>();
  let index = 0;
  for (const item of items) {
    const key = getKey(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

URL.parse ??= (address, base) => (URL.canParse(String(address), base) ? new URL(String(address), base) : null);
