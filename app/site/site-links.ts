/** The shell's links to other sites, from the deployment's configuration. */
export interface SiteLinks {
  company_name: string;
  company_url: string;
  guide_url: string;
  faq_url: string;
  feedback_url: string;
  /** Other products of the same company. */
  siblings: { name: string; url: string }[];
}
