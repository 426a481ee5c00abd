/**
 * Browser names by their mark in the User-Agent. The first match wins. Order matters, because most browsers also name
 * other browsers.
 */
const browsers: [RegExp, string][] = [
  [/\bLine\//, "LINE"],
  [/\bInstagram\b/, "Instagram"],
  [/\bTwitter for\b/, "X"],
  [/\bYJApp-|Yahoo!? ?Japan/i, "Yahoo! JAPAN"],
  [/\bEdgA?(iOS)?\//, "Edge"],
  [/\bOPR\/|\bOPT\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bGSA\//, "Googleアプリ"],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b.*\bMobile\b/, "Androidスマートフォン"],
  [/\bAndroid\b/, "Androidタブレット"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "Chromebook"],
  [/\bMacintosh\b|\bMac OS X\b/, "Mac"],
  [/\bLinux\b/, "Linux"],
];

const nameOf = (user_agent: string, names: [RegExp, string][]) => names.find(([sign]) => sign.test(user_agent))?.[1];

/** Returns a readable name for a browser from its User-Agent: `iPhoneのSafari`, `Windowsのブラウザー`, `不明な端末`. */
export function deviceName(user_agent: string): string {
  const browser = nameOf(user_agent, browsers);
  const system = nameOf(user_agent, systems);
  if (!browser && !system) return "不明な端末";
  return system ? `${system}の${browser ?? "ブラウザー"}` : (browser ?? "");
}
