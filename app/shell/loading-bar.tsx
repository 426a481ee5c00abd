import { useEffect, useState } from "react";
import { useNavigation, useRevalidator } from "react-router";

/** How long the loading bar stays after loading. Source: spec section 9: loading bar linger. */
const LINGER_MS = 200;

/**
 * A bar at the top while a page loads or the session is checked. The bar stays a moment longer, because people would
 * not notice a short flash.
 */
export function LoadingBar() {
  const navigation = useNavigation();
  const revalidator = useRevalidator();
  const is_loading = navigation.state !== "idle" || revalidator.state !== "idle";
  const [lingers, setLingers] = useState(false);
  useEffect(() => {
    // Set it before loading ends. Set afterwards, the bar would be gone for a frame.
    if (is_loading) return setLingers(true);
    const timer = setTimeout(() => setLingers(false), LINGER_MS);
    return () => clearTimeout(timer);
  }, [is_loading]);
  return is_loading || lingers ? <div className="loading-bar" role="progressbar" aria-label="読み込み中" /> : null;
}
