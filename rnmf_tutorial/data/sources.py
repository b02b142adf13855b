"""Every data set by its name, and where it comes from."""

from pathlib import Path
from typing import NamedTuple

import pooch

from rnmf_tutorial.data.cropped_yaleb import CROPPED_YALEB
from rnmf_tutorial.data.orl import ORL
from rnmf_tutorial.data.tensors import INDIAN_PINES, KINETIC


class Source(NamedTuple):
    """One published file, pinned to a commit and to its content."""

    title: str
    file: str
    address: str
    sha256: str

    also = ()  # other names under which the file may lie in your own folder

    @property
    def url(self) -> str:
        return "https://raw.githubusercontent.com/" + self.address

    @property
    def file_hash(self) -> str:
        return "sha256:" + self.sha256

    def intact(self, file: Path) -> bool:
        try:
            return pooch.file_hash(str(file)) == self.sha256
        except OSError:
            return False


SOURCES = {
    "yale64": Source(
        "Yale faces at 64×64",
        "Yale_64x64.mat",
        "MetinUnlu/Univr_FoDA/863d92de2dd6a61706f01b7606b58d4c9e940ddf/data/Yale_64x64.mat",
        "315433db65209b636ea80f55f921662d6173a5757c9e99ec8b3daea6da2a8233",
    ),
    "yale32": Source(
        "Yale faces at 32×32",
        "Yale_32x32.mat",
        "ma-xu/ORL3/0efe9e8df8fd3642fbf1f5e258f51165e475b1f1/Yale_32x32.mat",
        "beb3cc9f448c1ab786583c8f5429368c299843ee88263f9650ed463004ef7633",
    ),
    "orl32": Source(
        "aligned ORL faces at 32×32",
        "ORL_32x32.mat",
        "XiaoZhu-05/RGD-NMF/23567eeef0121240b38b914ebb234a9e30fa37a9/ORL.mat",
        "c30cb53be2cab2da293eaeb35c1a7c16cad513fa14d0400ad5ed51f03e1ce7c8",
    ),
    "cbcl": Source(
        "CBCL faces",
        "CBCL_Face.mat",
        "hiroyuki-kasai/NMFLibrary/ed44132dfe1b5495df685006b42259f0bd16bea3/data/CBCL_Face.mat",
        "bf183d48b74fc6c7434eeb5123b7c7461e78c606c1a37d4116152f8868dc5254",
    ),
    "umist": Source(
        "UMIST faces",
        "UMIST_32x32.mat",
        "hyzhang98/AdaGAE/6d04946060bacd41ee31eba5c124887bca44f369/data/UMIST.mat",
        "247ce22f5aa04ea95e584756e9255f29b340ed43352b67a92daac724a2144b09",
    ),
    "yaleb": Source(
        "Extended Yale B faces",
        "YaleB_32x32.mat",
        "tansyab1/CNN-Sparse/c52b9c2c783bf6e350b11962781b7c2d701ce2c4/data/YaleB_32x32.mat",
        "b3331cafe70867bef7881c8aa6d429a01919be9920643ebb24d4ae220194a56f",
    ),
    "msrc": Source(
        "MSRC-v1 object features",
        "MSRC_v1.mat",
        "xiyu1007/Multi-view-datasets/7a9df6db09f098919ce24457b791df2500fbd320/"
        "Datasets/MSRC_v1/MSRC_v1.mat",
        "b224957807d3fa04dfcd2a7dc92829ecc5c470e3ceabcd240898618fa39646dc",
    ),
    "yaleb_full": CROPPED_YALEB,
}

#: The sets that come inside an installed package.
INSTALLED = {"orl": ORL, "indian_pines": INDIAN_PINES, "kinetic": KINETIC}
