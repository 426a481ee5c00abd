import { getNews, listNews } from "../../contract/news.ts";
import { bindEndpoint } from "../http/endpoint.ts";
import { findNews, listPublishedNews } from "./queries.ts";

export const newsRoutes = [
  bindEndpoint(listNews, ({ query }, context) => listPublishedNews(context, query)),
  bindEndpoint(getNews, async ({ params }, context) => ({ news: await findNews(context, params.news_id) })),
];
