/** What is used of the bundle of Mermaid that needs no other package. */
declare module 'mermaid/dist/mermaid.esm.min.mjs' {
  const mermaid: {
    initialize(configuration: Record<string, unknown>): void;
    render(id: string, source: string): Promise<{ svg: string }>;
  };
  export default mermaid;
}
