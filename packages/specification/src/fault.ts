/** Why a text is no specification that can be read. The message may be shown to whoever gave the text. */
export class SpecificationFault extends Error {
  override name = 'SpecificationFault';
}

/** The value that is at fault, as JavaScript would name it: `paths["/pets"].get`. */
export const placeOf = (path: readonly (string | number)[]): string =>
  path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return `[${JSON.stringify(key.slice(0, 100))}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
