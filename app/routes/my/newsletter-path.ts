/** The pages of newsletters. */
export const NEWSLETTERS_PATH = "/my/news_letters";
