declare module '@axe-core/playwright' {
  interface Violation {
    id: string;
    nodes: { html: string; failureSummary?: string }[];
  }
  export class AxeBuilder {
    constructor(options: { page: import('playwright-core').Page });
    withRules(rules: string[]): this;
    analyze(): Promise<{ violations: Violation[] }>;
  }
}
