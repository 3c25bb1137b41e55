/** Something that the outline leads to. */
export interface ShownHeading {
  id: string;
  level: number;
  text: string;
}
