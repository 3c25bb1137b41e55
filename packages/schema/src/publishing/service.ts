import type { PdfExport } from '../collaboration/pdf.ts';
import type { ChangeRequestId, OrganizationId, RevisionId, SpaceId } from '../ids.ts';
import type { Caller, Metered } from '../service.ts';

/** A PDF of what a revision holds. */
export interface PdfRequest extends Caller {
  organization: OrganizationId;
  space: SpaceId;
  /** The change request that the revision is read for; else it is live content. */
  changeRequest?: ChangeRequestId | undefined;
  revision: RevisionId;
  /** The page that it begins with, with those below it; left out for all pages. */
  page?: string | undefined;
  /** Whether that page alone is wanted. */
  only: boolean;
  title: string;
  subtitle?: string | undefined;
}

/** What other workers may ask of the publishing worker. The caller has authorized the user; each call may be repeated. */
export interface PublishingService {
  /** Gives a signed address of the PDF, which is queued where it was not asked for before. */
  requestPdf(request: PdfRequest): Promise<Metered<PdfExport>>;
}
