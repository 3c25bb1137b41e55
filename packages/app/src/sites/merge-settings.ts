type Settings = Readonly<Record<string, unknown>>;

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the latest settings with the changes that were made to a former version of them. */
export function mergeSettings(latest: Settings, former: Settings, changed: Settings): Settings {
  const merged = Object.keys({ ...former, ...changed }).map((name) => {
    const [current, before, after] = [latest[name], former[name], changed[name]];
    if (JSON.stringify(before) === JSON.stringify(after)) return [name, current];
    const isGroup = isSettings(current) && isSettings(before) && isSettings(after);
    return [name, isGroup ? mergeSettings(current, before, after) : after];
  });
  return { ...latest, ...Object.fromEntries(merged) };
}
