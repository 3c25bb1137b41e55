/** The title in what a provider answers (oembed.com), as one line of so many characters; null where there is none. */
export function titleIn(answer: string, maxLength: number): string | null {
  const title = titleOf(answer)
    ?.toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return title ? [...title].slice(0, maxLength).join('') : null;
}

function titleOf(answer: string): string | undefined {
  try {
    const { title } = JSON.parse(answer) as { title?: unknown };
    return typeof title === 'string' ? title : undefined;
  } catch {
    return undefined;
  }
}
