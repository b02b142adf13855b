"""The slides in a browser."""

import pytest

from tests.site.reading import opened

pytestmark = pytest.mark.site
SCREEN = {"width": 1280, "height": 720}

# Every slide with all that it reveals, and where the lowest letter or picture ends.
ENDS = """async () => {
    await Promise.all([MathJax.startup.promise, document.fonts.ready]);
    const frame = () => new Promise(requestAnimationFrame);
    Reveal.configure({transition: "none"});
    const ends = {};
    for (const slide of Reveal.getSlides()) {
        const {h, v} = Reveal.getIndices(slide);
        Reveal.slide(h, v, 99);
        await Promise.all([...slide.querySelectorAll("img")].map(picture => picture.decode()));
        for (let k = 0; k < 3; k++) await frame();
        const boxes = [...slide.querySelectorAll("*")].map(part => part.getBoundingClientRect());
        const seen = boxes.filter(box => box.width * box.height > 1);
        const title = slide.innerText.trim().slice(0, 40);
        ends[title] = Math.max(...seen.map(box => box.bottom));
    }
    return ends;
}"""


def test_no_slide_is_cut_by_a_projector_and_all_load_from_the_site(browser, address):
    with opened(browser, address, "teach/slides.html", viewport=SCREEN) as page:
        page.wait_for_function("window.MathJax && MathJax.startup && Reveal.isReady()")
        ends = page.evaluate(ENDS)
        assert len(ends) > 60
        assert {text: end for text, end in ends.items() if end > SCREEN["height"]} == {}
        assert page.outside == []
