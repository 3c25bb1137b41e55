const units = ['B', 'KB', 'MB', 'GB'];

/** Formats a number of bytes for people. */
export function describeSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1000)));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}
