import type { ComponentChildren } from 'preact';
import { safeAddress } from '../references.ts';

/** An image that has one look in the light and another in the dark: the styles show one of both. */
export function Pair({
  of: { light, dark },
  alt,
}: {
  of: { light: string; dark: string };
  alt: string;
}): ComponentChildren {
  const [day, night] = [safeAddress(light), safeAddress(dark)];
  if (day === night || night === undefined) return day === undefined ? alt : <img src={day} alt={alt} />;
  return (
    <>
      <img class="in-light" src={day} alt={alt} />
      <img class="in-dark" src={night} alt={alt} />
    </>
  );
}
