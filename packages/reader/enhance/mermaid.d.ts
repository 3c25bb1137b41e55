/** Declares the used part of Mermaid's self-contained bundle. */
declare module 'mermaid/dist/mermaid.esm.min.mjs' {
  const mermaid: {
    initialize(configuration: Record<string, unknown>): void;
    render(id: string, source: string): Promise<{ svg: string }>;
  };
  export default mermaid;
}
