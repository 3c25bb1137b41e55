import { useEffect, useState } from 'preact/hooks';

/** Time after the last key until a list is searched. */
export const searchDelay = 250;

/** Returns the text, but updates it only after it has not changed for the given time. */
export function useDebounced(text: string, milliseconds: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), milliseconds);
    return () => clearTimeout(timer);
  }, [text, milliseconds]);
  return settled;
}
