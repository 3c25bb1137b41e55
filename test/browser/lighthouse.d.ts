declare module 'lighthouse' {
  interface Category {
    title: string;
    score: number | null;
    auditRefs: { id: string; weight: number }[];
  }
  interface Audit {
    title: string;
    score: number | null;
    displayValue?: string;
  }
  interface Flags {
    port: number;
    onlyCategories: string[];
    skipAudits: string[];
    logLevel: 'silent';
  }
  export default function lighthouse(
    url: string,
    flags: Flags,
  ): Promise<{ lhr: { categories: Record<string, Category>; audits: Record<string, Audit> } } | undefined>;
}
