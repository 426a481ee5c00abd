/** What the parts of a mail share in their HTML. */

export const FONT =
  "font-family:'Hiragino Sans','Hiragino Kaku Gothic ProN','Noto Sans JP','Yu Gothic',Meiryo,sans-serif";
export const PARAGRAPH = `${FONT};font-size:16px;line-height:1.8;margin:0 0 20px;overflow-wrap:anywhere`;
export const SMALL = `${FONT};font-size:13px;line-height:1.7;overflow-wrap:anywhere`;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
